"""What a real browser makes of the page of a gallery; runs in an environment of its own."""
