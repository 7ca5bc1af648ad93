"""What looks after the store in the background."""
