"""Tables of the open model as people work with them: columns with names, sorted, filtered, copied."""
