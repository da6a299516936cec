"""Changes of nodes: names, parents, slots, nodes added, removed and reordered."""
