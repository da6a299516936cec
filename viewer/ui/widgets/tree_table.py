"""Trees as tables: the visible rows as a flat list, with bounded indents."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from imgui_bundle import imgui

from viewer.ui.widgets import theme

DEEPEST_INDENT: Final = 12
"""Levels that are indented; rows below have the indent of the last, and their level as a number."""


def indent(depth: int, step: float = 0.8) -> float:
    """Return the indent of a row of a level; `step` is that of one level in font heights."""
    return min(depth, DEEPEST_INDENT) * theme.em(step)


def level_mark(depth: int) -> str:
    """Return the number that a row too deep for an indent of its own begins with, else nothing."""
    return f"{depth}  " if depth > DEEPEST_INDENT else ""


class TreeTable:
    """Begins the table of a tree, as wide as its widest row on screen; owner: a panel."""

    def __init__(self) -> None:
        self._rows: object = None
        self._widest = 0.0

    def begin(self, name: str, columns: int, flags: int, rows: object, others: float = 0.0) -> bool:
        """Begin the table of `rows`, which takes the rest of the panel; tell whether it is visible.

        Parameters
        ----------
        others
            Width of the columns other than that of the names.
        """
        room = imgui.get_content_region_avail()
        if self.has_room(rows, others):
            return imgui.begin_table(name, columns, flags, room)
        needed = self._widest + others
        return imgui.begin_table(name, columns, flags | imgui.TableFlags_.scroll_x, room, needed)

    def has_room(self, rows: object, others: float) -> bool:
        """Tell whether the panel is as wide as the names of `rows` and columns of some width next to them."""
        if rows is not self._rows:
            # Only rows on screen are measured, so the width grows while the user scrolls.
            self._rows, self._widest = rows, 0.0
        room = imgui.get_content_region_avail().x - imgui.get_style().scrollbar_size
        return self._widest + others <= room

    def measure(self, depth: int, words: str, others: float) -> None:
        """Take a row into account: its level, its lines of text, the width of what else its cell holds."""
        width = indent(depth) + imgui.calc_text_size(words).x + others
        self._widest = max(self._widest, width)


Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class TreeRow(Generic[Key]):
    """One row: what it stands for, how deep it lies, and whether it has and shows rows of its own."""

    key: Key
    depth: int
    has_children: bool
    is_open: bool


def flatten(
    roots: Iterable[Key],
    children: Callable[[Key], Sequence[Key]],
    is_open: Callable[[Key], bool],
) -> list[TreeRow[Key]]:
    """Return the rows in drawing order; children of closed rows are left out. Works at any depth."""
    rows: list[TreeRow[Key]] = []
    # Instead of recursion, which a damaged file with a thousand levels would exceed.
    waiting: list[tuple[Iterator[Key], int]] = [(iter(roots), 0)]
    while waiting:
        siblings, depth = waiting[-1]
        key = next(siblings, None)
        if key is None:
            waiting.pop()
            continue
        below = children(key)
        row = TreeRow(key, depth, bool(below), bool(below) and is_open(key))
        rows.append(row)
        if row.is_open:
            waiting.append((iter(below), depth + 1))
    return rows


def with_ancestors(keys: Iterable[Key], parent: Callable[[Key], Key | None]) -> set[Key]:
    """Return `keys` and their ancestors: the rows of a filtered tree."""
    kept: set[Key] = set()
    for key in keys:
        step: Key | None = key
        # Stops at the first known ancestor: all above it are known too, and a circle ends.
        while step is not None and step not in kept:
            kept.add(step)
            step = parent(step)
    return kept
