"""Trimesh, in an environment of its own."""
