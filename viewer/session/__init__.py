"""State of the user's work: the open document, the view, selection, playback. No OpenGL, no panels."""
