"""The movement of a scene: rotations, curves and keys of its nodes, further frames."""
