"""Sections of the Display panel, and what their rows are made of."""
