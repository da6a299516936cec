"""The walker: its parts, their finishes, and how it moves."""
