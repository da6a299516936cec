"""Many files at once: addresses with wildcards, searching, statistics, one output file for each."""
