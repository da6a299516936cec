"""The pose of a model at a time: its hierarchy, the key of each node, what is between two keys."""
