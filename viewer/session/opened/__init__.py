"""The open document and its source, other opened resources, the browser's trees."""
