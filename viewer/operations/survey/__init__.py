"""The survey: what an install says about the open questions of the formats, without its content."""
