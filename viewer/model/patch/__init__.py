"""Patches: what differs between two files, applied to another copy of the first."""
