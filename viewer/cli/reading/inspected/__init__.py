"""The documents and texts of ``inspect`` for models and skies."""
