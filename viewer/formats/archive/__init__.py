"""Containers of payloads: NRes, RsLi, and the ways RsLi packs."""
