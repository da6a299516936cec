"""The image of the model, what lies over it, what the mouse does in it."""
