"""Textures on their way from a worker thread to the graphics card."""
