"""What a payload is, and everything that is known of that format."""
