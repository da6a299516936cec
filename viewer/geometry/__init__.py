"""Transforms, bounds, frusta and rays, as plain arrays."""
