"""Small images of entries for the browser."""
