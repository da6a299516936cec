"""The verb that compares: two files, or two folders."""
