"""The middle of the window: the tabs, and what the active one shows if it is not a model."""
