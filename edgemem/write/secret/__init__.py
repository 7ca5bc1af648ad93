"""Passwords, keys and numbers nobody else should see: where they stand, masked, waiting, sealed."""
