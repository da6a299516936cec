"""Sections of the Inspector: what each selected thing is, its fields, and links to what belongs to it."""
