"""The keys of nodes over time: as curves, as marks of a sheet, as trails through the world."""
