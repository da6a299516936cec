"""What is remembered between two runs, and where the user's files are."""
