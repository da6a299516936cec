"""Declarations of formats, from which decoding, encoding, parts, JSON and the reference follow."""
