"""The tables of a model: what a column is, which columns each has, and their rows as plain values."""
