"""Comparing messages by what they state, not by how they are worded."""

from __future__ import annotations

import re


def states(message: str, values: str) -> bool:
    """Whether a message holds all of the words and numbers in `values`, in this order."""
    words = (rf"(?<![\w-]){re.escape(value)}(?!\w)" for value in values.split())
    return re.search(".*?".join(words), message, re.DOTALL) is not None
