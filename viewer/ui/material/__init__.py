"""A material with its phases in time, and a texture: their fields, images and texts."""
