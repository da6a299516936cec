"""The table of a tree: its indents are bounded, and rows wider than the panel scroll sideways."""

from __future__ import annotations

from typing import Final

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
        """Tell whether the panel is as wide as the names of `rows` and columns of some width beside them."""
        if rows is not self._rows:
            self._rows, self._widest = rows, 0.0
        room = imgui.get_content_region_avail().x - imgui.get_style().scrollbar_size
        return self._widest + others <= room

    def measure(self, depth: int, words: str, others: float) -> None:
        """Take a row into account: its level, its lines of text, the width of what else its cell holds."""
        width = indent(depth) + imgui.calc_text_size(words).x + others
        self._widest = max(self._widest, width)
