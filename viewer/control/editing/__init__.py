"""Editing in the window: changes, undo, saving, the journal."""
