"""Conversion to and from formats of other programs."""
