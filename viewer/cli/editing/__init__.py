"""Edits on the command line: changes as options, files changed together, and what is said about them."""
