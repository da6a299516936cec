"""The verbs of the command line, one module each: ``declare`` its arguments, ``run`` it."""
