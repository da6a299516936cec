"""What was changed and not yet saved: the undo steps of each file."""
