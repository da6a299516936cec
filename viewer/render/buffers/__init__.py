"""A model as GPU buffers: merged draws, uploads, submission of triangles."""
