"""JSON Schemas of what the verbs print, built from the declarations of records where these exist."""
