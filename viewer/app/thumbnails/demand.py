"""Requests of the panels, frame by frame."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


class Demand(Generic[Key]):
    """Keys requested while a frame was drawn; keys not requested again are dropped.

    So a list that requests its visible rows in every frame drops rows that scrolled away.
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
        """Begin another frame; every key has to be requested again."""
        self._frame += 1
        self._before, self._first_asked = self._first_asked, {}

    def newest_first(self) -> list[Key]:
        """Requested keys, most recently visible first."""
        return sorted(self._first_asked, key=lambda key: -self._first_asked[key])
