"""Composition: window, frame loop, jobs, settings, command line."""
