"""Changes on screen: the history, the sheet of a save, questions before bytes are lost."""
