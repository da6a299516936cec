"""Changes of animations: keys, their times, and the length of the whole."""
