"""The usage of the verbs, declared once: help, manual page, completion."""
