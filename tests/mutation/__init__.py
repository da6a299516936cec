"""Mutants: changes of one place of the program that its tests should notice."""
