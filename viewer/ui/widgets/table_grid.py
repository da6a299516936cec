"""The rows of a table that are on screen, of one height or of several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from imgui_bundle import imgui


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


Heights = Sequence[float] | npt.NDArray[np.float64]


class TallRows:
    """Where each row of a list begins and ends.

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
        for row in seen:
            start, end = self.span(row)
            imgui.table_next_row(imgui.TableRowFlags_.none, end - start)
            if row % 2:
                imgui.table_set_bg_color(imgui.TableBgTarget_.row_bg0, stripe)
            yield row
        below = self.total - (self.span(seen[-1])[1] if len(seen) else 0.0)
        if below > 0:
            imgui.table_next_row(imgui.TableRowFlags_.none, below)
