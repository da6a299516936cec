"""Tables and trees of many rows, of which only those on screen are drawn."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt
from imgui_bundle import ImVec2, imgui
from msgspec import Struct

from viewer.ui.widgets import theme
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import Hint, flat, tooltip

_TEXT: Final = int(imgui.Col_.text)  # as a number: see `widgets`

Row = TypeVar("Row")
LIST: Final = (
    imgui.TableFlags_.row_bg
    | imgui.TableFlags_.borders_inner_v
    | imgui.TableFlags_.resizable
    | imgui.TableFlags_.scroll_y
    | imgui.TableFlags_.no_saved_settings
)
"""Flags of a list whose rows scroll below its titles."""


def rows_on_screen(count: int, scroll_to: int | None = None) -> Iterator[int]:
    """Yield the visible rows of the current table; draw each row before advancing the iterator.

    Parameters
    ----------
    scroll_to
        A row to scroll into view.
    """
    clipper = imgui.ListClipper()
    clipper.begin(count)
    if scroll_to is not None:
        clipper.include_item_by_index(scroll_to)
    while clipper.step():
        # The clipper also gives the row to scroll to, and one row to measure, off screen.
        for row in range(clipper.display_start, clipper.display_end):
            yield row
            if row == scroll_to and not _is_in_view():
                imgui.set_scroll_here_y(0.5)
    clipper.end()


def _is_in_view() -> bool:
    """Tell whether the row that was just drawn lies inside the table with all its height."""
    top, bottom = imgui.get_item_rect_min().y, imgui.get_item_rect_max().y
    start = imgui.get_window_pos().y + imgui.get_text_line_height_with_spacing()
    return start <= top and bottom <= imgui.get_window_pos().y + imgui.get_window_height()


def set_up_columns(columns: Mapping[Any, float], *, has_headers: bool = False) -> None:
    """Declare the columns of the current table.

    Parameters
    ----------
    columns
        Their titles and widths, font heights. A negative width is a share of the room that the others leave;
        a column of 0 is as wide as the flags of the table say. A column with a width has room for its title.
    has_headers
        Whether the titles are shown, and stay when the rows scroll.
    """
    for title, width in columns.items():
        if width > 0:
            least = imgui.calc_text_size(title).x if has_headers else 0.0
            fixed = imgui.TableColumnFlags_.width_fixed
            imgui.table_setup_column(title, fixed, max(theme.em(width), least))
        elif width < 0:
            imgui.table_setup_column(title, imgui.TableColumnFlags_.width_stretch, -width)
        else:
            imgui.table_setup_column(title)
    if has_headers:
        imgui.table_setup_scroll_freeze(0, 1)
        imgui.table_headers_row()


def table_rows(
    name: str,
    columns: Mapping[Any, float],
    rows: Iterable[Row],
    flags: int,
    size: ImVec2 | None = None,
    *,
    has_headers: bool = False,
) -> Iterator[Row]:
    """Draw a table: begin the first cell of each row, yield what it shows; the table ends after the last.

    Parameters
    ----------
    columns, has_headers
        As in `set_up_columns`.
    rows
        What the rows show; `rows_on_screen` of many of one height.
    """
    if not imgui.begin_table(name, len(columns), flags, size):
        return
    set_up_columns(columns, has_headers=has_headers)
    for row in rows:
        imgui.table_next_row()
        imgui.table_next_column()
        yield row
    imgui.end_table()


Heights = Sequence[float] | npt.NDArray[np.float64]


class TallRows:
    """Beginnings and ends of the rows of a list.

    Parameters
    ----------
    heights
        Of every row, from its top to the top of the next, ImGui units.
    """

    def __init__(self, heights: Heights) -> None:
        self._ends = np.cumsum(heights, dtype=np.float64)
        self._starts = self._ends - np.asarray(heights, dtype=np.float64)

    @property
    def total(self) -> float:
        """Height of all rows together."""
        return float(self._ends[-1]) if len(self._ends) else 0.0

    def span(self, row: int) -> tuple[float, float]:
        """Return where a row begins and ends."""
        return float(self._starts[row]), float(self._ends[row])

    def between(self, top: float, bottom: float) -> range:
        """Return the rows that lie between two heights, wholly or in part."""
        # "right" and "left": a row that only touches the top or the bottom is not in sight.
        first = int(np.searchsorted(self._ends, top, side="right"))
        return range(first, max(first, int(np.searchsorted(self._starts, bottom, side="left"))))

    def scroll_to(self, row: int, top: float, room: float) -> float:
        """Return the scroll position that shows a row: `top` if it is visible, else centered."""
        start, end = self.span(row)
        is_seen = top <= start and end <= top + room
        return top if is_seen else min(max((start + end - room) / 2, 0.0), max(self.total - room, 0.0))

    def on_screen(self, scroll_to: int | None = None) -> Iterator[int]:
        """Begin each row of the current table that can be seen, every other one striped, and yield it.

        Parameters
        ----------
        scroll_to
            A row to scroll into view in the next frame.
        """
        top, room = imgui.get_scroll_y(), imgui.get_window_height()
        if scroll_to is not None:
            imgui.set_scroll_y(self.scroll_to(scroll_to, top, room))
        seen = self.between(top, top + room)
        stripe = imgui.get_color_u32(imgui.Col_.table_row_bg_alt)
        # The clipper of ImGui counts rows of one height: an empty row stands for all above, another below.
        above = self.span(seen.start)[0] if len(seen) else 0.0
        if above:
            imgui.table_next_row(imgui.TableRowFlags_.none, above)
        heights = (self._ends - self._starts)[seen.start : seen.stop].tolist()
        for row, height in zip(seen, heights, strict=True):
            imgui.table_next_row(imgui.TableRowFlags_.none, height)
            if row % 2:
                imgui.table_set_bg_color(imgui.TableBgTarget_.row_bg0, stripe)
            yield row
        below = self.total - (self.span(seen[-1])[1] if len(seen) else 0.0)
        if below > 0:
            imgui.table_next_row(imgui.TableRowFlags_.none, below)


DEEPEST_INDENT: Final = 12
"""Levels that are indented; rows below have the indent of the last, and their level as a number."""


LEVEL: Final = 0.8
"""Indent of a level, font heights."""
INDENT_SHARE: Final = 0.25
"""Share of a narrow tree that indents may have; the rest is for the names."""


def indent(depth: int, step: float = LEVEL) -> float:
    """Return the indent of a row of a level; `step` is that of one level in font heights."""
    return min(depth, DEEPEST_INDENT) * theme.em(step)


def level_mark(depth: int, deepest: int = DEEPEST_INDENT) -> str:
    """Return the number that a row too deep for an indent of its own begins with, else nothing."""
    return f"{depth}  " if depth > deepest else ""


class TreeTable:
    """Begins the table of a tree, as wide as its widest row on screen; owner: a panel.

    Attributes
    ----------
    deepest
        The levels that are indented: few in a narrow panel, whose names would have no room.
    """

    def __init__(self) -> None:
        self.deepest = DEEPEST_INDENT
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
        names = room.x - others - imgui.get_style().scrollbar_size
        self.deepest = min(DEEPEST_INDENT, max(1, int(INDENT_SHARE * names / theme.em(LEVEL))))
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

    def indent(self, depth: int) -> float:
        """Return the indent of a row of a level."""
        return indent(min(depth, self.deepest))

    def level_mark(self, depth: int) -> str:
        """Return the number that a row too deep for an indent of its own begins with, else nothing."""
        return level_mark(depth, self.deepest)

    def width(self, depth: int, words: str, others: float) -> float:
        """Return the width of a row: its level, its lines of text, the width of what else its cell holds."""
        return self.indent(depth) + imgui.calc_text_size(words).x + others

    def widen(self, width: float) -> None:
        """Take the width of a row on screen into account."""
        self._widest = max(self._widest, width)


class ghost_buttons(flat):  # noqa: N801 read as a statement: with ghost_buttons() as buttons
    """Draws the buttons of the rows of a tree inside the block, in which nothing else has a frame.

    Each is as one of `ghost_button`; what rows have in common is set once.
    """

    __slots__ = ("_size", "height", "width")

    def __init__(self) -> None:
        self.height = imgui.get_text_line_height()
        self.width = self.height * 1.25
        self._size = ImVec2(self.width, self.height)

    def draw(self, label: str, hint: Hint, color: Color) -> bool:
        """Draw a button; tell whether it was pressed."""
        imgui.push_style_color(_TEXT, theme.vector(color))
        pressed = imgui.button(label, self._size)
        imgui.pop_style_color()
        tooltip(hint, is_beside=True)
        return pressed

    def fold(self, label: str, hint: Hint, *, has_children: bool) -> bool:
        """Draw the arrow of a row, or leave its room if nothing is below it; tell whether it was pressed."""
        if has_children:
            return self.draw(label, hint, theme.DIM)
        imgui.dummy(self._size)
        return False


Key = TypeVar("Key", bound=Hashable)


class TreeRow(Struct, Generic[Key], frozen=True):
    """A row of a tree: key, depth, and whether there are rows below, and shown."""

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
