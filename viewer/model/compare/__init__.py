"""Differences between two files."""
