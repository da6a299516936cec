"""A model as buffers: merged draws, uploads, what of them a frame submits."""
