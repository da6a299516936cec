"""What lies next to an edited payload and follows it: the same names, numbers of nodes and rows, frames."""
