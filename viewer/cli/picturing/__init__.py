"""The verbs that show a model: as images, or in the window."""
