"""A view of a model to pixels; with app, the only code that knows moderngl."""
