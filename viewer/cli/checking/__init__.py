"""The verbs that check: files against the rules of their formats, and the program itself."""
