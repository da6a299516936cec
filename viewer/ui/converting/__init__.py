"""The windows to and from other programs: export, import, and the check of the round trip."""
