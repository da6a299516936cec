"""Search over everything that is open: names, types, text, bytes and field values, as places."""
