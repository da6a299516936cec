"""The tables of a model, each made from the parts of a scene that it holds."""
