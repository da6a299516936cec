"""The nodes of a file against those of the model: parents, names, places, directions, and what is missing."""
