"""What an archive, a folder or a game holds, as one table with a row for each entry."""
