"""Containers of payloads: NRes, RsLi, and the packing methods of RsLi."""
