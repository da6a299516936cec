"""Units in the middle of the window: the tree of components, the assembled unit, its sheet."""
