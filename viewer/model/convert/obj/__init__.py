"""Wavefront OBJ with its materials, and a JSON file beside it for what OBJ cannot hold."""
