"""Validation of files, archives and folders."""
