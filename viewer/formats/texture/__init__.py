"""Textures, their pixels and palettes, and fonts."""
