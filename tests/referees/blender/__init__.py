"""Scripts that run in Blender's own environment."""
