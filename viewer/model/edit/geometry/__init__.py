"""Geometry of models: vertices moved, triangles edited, and what follows: bounds, normals, neighbors."""
