"""Writing payloads: byte-identical, in canonical form, or as a folder."""
