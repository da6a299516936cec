"""Panels of whole games: an overview, a survey, mods, two folders compared."""
