"""Effects as they play: the picture of an effect at any moment, as arrays."""
