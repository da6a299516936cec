"""Windows that ask something: a file or folder, or that say what went wrong."""
