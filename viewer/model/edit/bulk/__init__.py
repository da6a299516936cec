"""Changes that carry whole rows as bytes: what an import brings."""
