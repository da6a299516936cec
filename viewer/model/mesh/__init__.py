"""The meaning of a model's tables: nodes, poses, draws, readings."""
