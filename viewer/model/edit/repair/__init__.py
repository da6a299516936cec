"""Repair: what can be mended of a damaged payload, each as a change that can be looked at first."""
