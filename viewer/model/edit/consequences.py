"""What follows from changes of a payload: the dependency matrix, found by comparing it before and after.

So it does not matter which change touched a table: the same consequences follow from a field that was set
by hand.

Source: spec/msh.md 12, spec/animation.md 7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

from viewer.errors import FormatError
from viewer.model.edit.archive import companions, sort_indices
from viewer.model.edit.change import Consequence
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.following import geometry_follows, header_follows
from viewer.model.edit.keys import frame_map

Finder = Callable[[memoryview, Draft], Iterator[Consequence]]
"""Given the bytes before all changes and the draft after them, yields what follows."""

FINDERS: Final[tuple[Finder, ...]] = (
    companions.find,
    sort_indices.find,
    frame_map.follow,
    geometry_follows,
    header_follows,
)
"""In the order in which their changes are made; each sees the draft after those of the others before it."""


def following(before: memoryview, draft: Draft) -> Iterator[Consequence]:
    """Yield what follows from the changes made to a draft; the caller applies it before the next.

    Nothing follows where the bytes before or after cannot be read, as there is nothing to compare.
    """
    for find in FINDERS if draft.splices else ():
        with suppress(FormatError):
            yield from find(before, draft)
