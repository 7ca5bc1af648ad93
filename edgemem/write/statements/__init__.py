"""A clause said as a sentence about the user, by rule."""
