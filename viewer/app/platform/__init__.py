"""The system's side: the window, its frame loop, input, signals."""
