"""The registry of the game, its units, and the game folder."""
