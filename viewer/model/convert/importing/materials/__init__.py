"""The materials of a file against those of the model and its libraries."""
