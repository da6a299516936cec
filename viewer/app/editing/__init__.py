"""Editing in the window: what panels request, undo, saving, the journal."""
