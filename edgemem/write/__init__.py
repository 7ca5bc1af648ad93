"""From a turn to memories: capture, split, gate, extract, verify, compare, apply."""
