"""The tables inside a model: one module per resource type."""
