"""The windows to and from other programs: export, import, and the check that nothing is lost on the way."""
