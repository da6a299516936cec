"""Playback: clips, channels, frame ranges and materials, and their time."""
