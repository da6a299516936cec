"""The rows of a table that are on screen, so that one of any length can be drawn."""

from __future__ import annotations

from collections.abc import Iterator

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
