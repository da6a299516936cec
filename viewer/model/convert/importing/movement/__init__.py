"""The movement of nodes in a file compared with the keys of the model."""
