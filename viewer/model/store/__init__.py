"""Addresses, their files, and atomic writing."""
