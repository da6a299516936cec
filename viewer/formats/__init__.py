"""Bytes to records and back: one module per format, numpy and the standard library only."""
