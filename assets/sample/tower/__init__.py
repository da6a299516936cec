"""The tower: its outside, its inside, and their finishes."""
