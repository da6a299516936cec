"""Textures on the graphics card, and what the materials of a model use of them."""
