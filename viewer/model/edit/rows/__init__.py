"""Rows of tables: added, removed, moved; and texts as wide as they are long."""
