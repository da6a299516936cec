"""What the panels want to show, from frame to frame."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


class Demand(Generic[Key]):
    """Keys asked for while a frame was drawn; what is not asked for again is forgotten.

    So a list that asks for the rows on screen, frame by frame, takes back what was scrolled away.
    """

    def __init__(self) -> None:
        self._frame = 0
        self._first_asked: dict[Key, int] = {}
        self._before: dict[Key, int] = {}

    def __contains__(self, key: Key) -> bool:
        return key in self._first_asked

    def ask(self, key: Key) -> None:
        """Want something in the frame that is being drawn."""
        self._first_asked.setdefault(key, self._before.get(key, self._frame))

    def next_frame(self) -> None:
        """Begin another frame, in which everything has to be asked for again."""
        self._frame += 1
        self._before, self._first_asked = self._first_asked, {}

    def newest_first(self) -> list[Key]:
        """What was asked for in this frame: what came on screen last goes first, else in order."""
        return sorted(self._first_asked, key=lambda key: -self._first_asked[key])
