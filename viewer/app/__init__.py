"""The program with a window: state, opening, background jobs, settings."""
