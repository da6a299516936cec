"""Parts of a file that lost their nodes, back in the nodes of the model by their geometry."""
