"""The numbered rules of the specification, one module per subject."""
