"""Solids, and what becomes of them: facets with a finish, and the tables of their geometry."""
