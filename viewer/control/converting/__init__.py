"""Work behind the windows to and from other programs, in worker threads."""
