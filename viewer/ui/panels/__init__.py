"""The dockable panels, one module each."""
