"""Parts that every panel is made of."""
