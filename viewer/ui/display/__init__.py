"""The sections of the display panel."""
