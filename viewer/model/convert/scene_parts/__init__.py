"""The parts of a scene that is made from a model."""
