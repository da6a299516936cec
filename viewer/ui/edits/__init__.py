"""What was changed, on screen: the history, what a save will write, what is asked before bytes are lost."""
