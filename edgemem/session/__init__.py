"""A running conversation: its window, its prompt, its words going into the log."""
