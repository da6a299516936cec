"""Checks: validating files, checking the program itself, reports of faults."""
