"""What the tables of a model mean: nodes, poses, draws, readings."""
