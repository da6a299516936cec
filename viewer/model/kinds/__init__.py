"""Kinds of payloads, and everything that is known of each format."""
