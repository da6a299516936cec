"""The explanation of a pixel of the image, from the triangle to the bytes, and its text."""
