"""Changes of the directories of archives: their entries, and what follows from their names."""
