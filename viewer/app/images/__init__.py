"""Images of the panels: textures, thumbnails, screenshots, and the files that they are written to."""
