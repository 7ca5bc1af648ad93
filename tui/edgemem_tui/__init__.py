"""The terminal app: chat beside what the assistant remembers, and a place to look after it."""
