"""The keys and clips of a file against those of the model."""
