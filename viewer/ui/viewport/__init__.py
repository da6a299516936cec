"""The image of the model, its overlays, the mouse in it."""
