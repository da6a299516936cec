"""Comparing messages by what they state, not by how they are worded, and findings by their rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from viewer.diagnostics import Diagnostic


def states(message: str, values: str) -> bool:
    """Whether a message holds all of the words and numbers in `values`, in this order."""
    words = (rf"(?<![\w-]){re.escape(value)}(?!\w)" for value in values.split())
    return re.search(".*?".join(words), message, re.DOTALL) is not None


class _Checked(Protocol):
    """What was read, and what was found in it."""

    @property
    def diagnostics(self) -> Sequence[Diagnostic]: ...


def rules(read: _Checked) -> list[str]:
    """The rules of what was found while something was read."""
    return [finding.rule for finding in read.diagnostics]
