"""Queries over rows: filters by name and by condition, orders, and rows as text."""
