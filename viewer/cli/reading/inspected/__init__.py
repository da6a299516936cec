"""What ``inspect`` prints of models and of skies."""
