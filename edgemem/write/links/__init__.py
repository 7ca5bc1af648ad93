"""Relations that a memory states, read off it by rule or asked of the model."""
