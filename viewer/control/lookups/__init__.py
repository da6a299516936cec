"""Lookups of panels in worker threads: lists, searches, statistics, comparisons, bytes."""
