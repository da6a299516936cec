"""What other programs make of exported files: `make referees`."""
