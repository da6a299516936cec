"""Wavefront OBJ with its materials, and a sidecar (JSON) for what OBJ cannot hold."""
