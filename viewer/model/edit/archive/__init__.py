"""Changes of the entries of an archive, and of their order."""
