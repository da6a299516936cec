"""The clips and channels of a model: what its controller plays, and how."""
