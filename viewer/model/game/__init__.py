"""The game's registry, its units, and which folder is the game."""
