"""Mods: what they change in a game, as patches and new files; made, checked, applied and taken back."""
