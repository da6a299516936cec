"""Opening: what is read for a tab, which tab shows it, and what was open in the last session."""
