"""The verbs, declared once, and the verbs that print that: help, manual page, completion, schemas."""
