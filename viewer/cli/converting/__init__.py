"""The formats of ``export`` and ``import``: how each is written and read, and where the files go."""
