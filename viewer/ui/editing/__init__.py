"""Editing values where they are shown: typed, dragged, chosen from a list."""
