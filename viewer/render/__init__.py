"""Rendering a view of a model to pixels; with app, the only code that uses moderngl."""
