"""Records field by field, bytes, and links between them."""
