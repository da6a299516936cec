"""What the user is doing: the open document, the view of it, selection, playback. No OpenGL, no panels."""
