"""The content of an archive, a folder or a game as one table with a row for each entry."""
