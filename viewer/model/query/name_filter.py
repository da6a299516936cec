"""Matching names against the text of a filter field."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property


@dataclass(frozen=True)
class NameFilter:
    """A filter text: words that must all match, in any order.

    A word with ``*``, ``?`` or ``[`` in it is a pattern for the whole name. Case never matters.
    An empty text lets everything through.
    """

    text: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether every name passes."""
        return not self._words

    @cached_property
    def _words(self) -> tuple[re.Pattern[str], ...]:
        return tuple(_pattern(word.casefold()) for word in self.text.split())

    def matches(self, name: str) -> bool:
        """Tell whether `name` passes."""
        folded = name.casefold()
        return all(word.search(folded) for word in self._words)


def _pattern(word: str) -> re.Pattern[str]:
    if any(sign in word for sign in "*?["):
        return re.compile(r"\A" + translate(word))
    return re.compile(re.escape(word))
