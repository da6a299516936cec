"""Whole games as windows show them: an overview, a survey, mods, two folders compared."""
