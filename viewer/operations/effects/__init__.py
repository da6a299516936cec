"""Effects at a moment: read with their materials, those of models, explosions of nodes."""
