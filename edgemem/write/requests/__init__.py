"""What the user asks of the memory itself: keep nothing, forget it, tell nobody, play a part."""
