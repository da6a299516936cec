"""Kinds of payloads: recognition, codec, parts, checks and name of each format."""
