"""What depends on the system: the window, its frame loop, input, signals."""
