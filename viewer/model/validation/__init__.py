"""Files, archives and folders judged by the rules, many at once."""
