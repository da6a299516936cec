"""Tables of any length: columns that fit, sorting, selection, cells that link."""
