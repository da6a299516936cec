"""Groups of items side by side; one that does not fit into the line begins another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from imgui_bundle import imgui

from viewer.ui.widgets import theme


class Flow:
    """The lines of one bar. A group is as wide as it was in the last frame."""

    def __init__(self) -> None:
        self._widths: dict[str, float] = {}
        self._lines = self._count = 1
        self._left = self._right = 0.0

    @property
    def height(self) -> float:
        """Height of the lines of the last frame, pixels."""
        return self._lines * imgui.get_frame_height() + (self._lines - 1) * imgui.get_style().item_spacing.y

    def begin(self) -> None:
        """Begin the first line in the room that is left of the window."""
        self._left = imgui.get_cursor_screen_pos().x
        self._right = self._left + imgui.get_content_region_avail().x
        self._count = 0

    @contextmanager
    def group(self, name: str, gap: float = 1.1) -> Iterator[None]:
        """Keep the items inside the block on one line, `gap` font heights after the group before."""
        end = imgui.get_item_rect_max().x + theme.em(gap) if self._count else self._left
        if self._count and end + self._widths.get(name, 0.0) <= self._right:
            imgui.same_line(0, theme.em(gap))
        else:
            self._count += 1
        imgui.begin_group()
        yield
        imgui.end_group()
        self._widths[name] = imgui.get_item_rect_size().x

    def end(self) -> None:
        """End the last line."""
        self._lines = max(self._count, 1)
