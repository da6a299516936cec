"""The geometry of a file compared with that of the model, slot by slot."""
