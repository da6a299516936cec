"""Textures on the graphics card, and the materials of a model that use them."""
