"""The verbs about many files: searching, statistics, what an install says about open questions."""
