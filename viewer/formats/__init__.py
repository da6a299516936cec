"""Decoding and encoding: one module per format, numpy and the standard library only."""
