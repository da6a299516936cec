"""What the records mean: no GL, no user interface."""
