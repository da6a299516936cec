"""Settings kept between two runs, and the user's files."""
