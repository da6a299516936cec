"""How the document is looked at: camera, cell, time, switches; one immutable value."""
