"""Surfaces: paint, textures, materials and light."""
