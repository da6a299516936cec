"""What is said about an import."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from viewer.translation import Sentence

NAMED: Final = 4
"""Nodes that are named in a sentence; it has the number of more of them."""


@dataclass(slots=True)
class Findings:
    """Sentences gathered while a scene is compared, each once.

    Attributes
    ----------
    losses
        What the file says and the model cannot hold.
    notes
        What the user should know of the changes.
    rounded, crowded, resampled
        Nodes whose keys are moved to whole frames, those with several in one frame then, and those that
        were sampled at other times.
    """

    losses: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    rounded: list[str] = field(default_factory=list)
    crowded: list[str] = field(default_factory=list)
    resampled: list[str] = field(default_factory=list)

    def lose(self, text: str) -> None:
        """Add a loss."""
        if text not in self.losses:
            self.losses.append(text)

    def note(self, text: str) -> None:
        """Add a note."""
        if text not in self.notes:
            self.notes.append(text)

    def sum_up(self) -> None:
        """Add one sentence about several nodes."""
        words = (
            ("{nodes}: keys are moved to whole frames", self.rounded),
            ("{nodes}: several keys are in one frame; the first is taken", self.crowded),
            ("{nodes}: the movement was sampled between frames; it gets a key in each", self.resampled),
        )
        for text, nodes in words:
            if nodes:
                self.lose(Sentence(text, nodes=_listed(nodes)))


def _listed(nodes: Sequence[str]) -> str:
    """Some names, or how many there are."""
    return ", ".join(nodes) if len(nodes) <= NAMED else Sentence("{count} nodes", count=len(nodes))
