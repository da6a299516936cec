"""What is open: the document, what was asked for, other resources, the browser's trees."""
