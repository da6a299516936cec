"""What a file says that a model of the game cannot hold: a sentence each, however often it says so."""

from __future__ import annotations

from typing import Final

from viewer.translation import Sentence

MOST: Final = 100
"""Sentences; further ones are counted."""


class Losses:
    """Losses in the order in which they were found, each with the first place that has it."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[str, int]] = {}

    def add(self, what: str, where: str = "") -> None:
        """Add a loss; the same one at another place is counted."""
        first, count = self._found.get(what, (where, 0))
        self._found[what] = first, count + 1

    @property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each loss."""
        made = [_sentence(what, where, count) for what, (where, count) in self._found.items()]
        if len(made) <= MOST:
            return tuple(made)
        return *made[:MOST], Sentence("and {count} more", count=len(made) - MOST)


def _sentence(what: str, where: str, count: int) -> str:
    """A loss and where it is."""
    if not where:
        return what
    if count == 1:
        return Sentence("{place}: {message}", place=where, message=Sentence.of(what))
    return Sentence(
        "{place} and {count} more: {message}", place=where, count=count - 1, message=Sentence.of(what)
    )
