"""The view of a document: camera, cell, light, switches; one immutable value."""
