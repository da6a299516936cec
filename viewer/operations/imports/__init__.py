"""Importing: its options, its plan, and the files that it writes."""
