"""The parts of the timeline panel."""
