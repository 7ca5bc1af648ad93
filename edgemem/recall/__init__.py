"""From a question to a context block: gather, fuse, budget, render."""
