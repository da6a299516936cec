"""What a pixel of the image shows, from the triangle to its bytes, and the text of it."""
