"""Attacks: files that cost much, and mutants of sound files, behind every verb and in the window."""
