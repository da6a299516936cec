"""Payloads encoded again: to the byte, in canonical form, as a folder."""
