"""Measuring: models and archives made for it, what is timed on them, and how."""
