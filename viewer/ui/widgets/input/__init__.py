"""Fields to type into: a filter, a number within bounds, the playback speed."""
