"""The numbered rules of the specification, one file a subject."""
