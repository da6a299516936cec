"""To and from the formats of other programs."""
