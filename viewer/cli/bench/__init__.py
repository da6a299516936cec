"""``bench``: generated models and archives, the timed cases, and the timing."""
