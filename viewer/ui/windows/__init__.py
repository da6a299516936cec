"""Windows over the panels: settings, the list of keys."""
