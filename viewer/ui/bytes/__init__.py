"""The bytes of a payload: hex, fields, values at the cursor, search, bookmarks."""
