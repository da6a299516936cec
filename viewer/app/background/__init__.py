"""Work in worker threads for the panels: lists of the browser, searches, tables, users, validation."""
