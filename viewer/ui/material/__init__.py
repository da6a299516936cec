"""One material: its fields, its phases in time."""
