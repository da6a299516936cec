"""Payloads next to an edited one that follow it: the same names, numbers of nodes and rows, frames."""
