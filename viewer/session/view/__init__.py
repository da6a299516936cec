"""The view of a document: camera, cell, time, switches; one immutable value."""
