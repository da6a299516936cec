"""Changes that are made with the mouse: what is refused is said in a line at the pointer, with its node."""

from __future__ import annotations

from typing import Final, NamedTuple

from imgui_bundle import ImVec2, imgui

from viewer.model.edit.change import Change
from viewer.session.opened.document import Document
from viewer.translation import translated
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import readable, shortened

SECONDS: Final = 8.0
"""For which a line stays, unless something is clicked."""
_MARGIN: Final = 0.4
"""Margin of the background of the field, font heights."""


class _Line(NamedTuple):
    """A message at a place, until a time."""

    words: str
    place: ImVec2
    end: float


class InPlaceEdit:
    """Makes changes of nodes in place; owner: what is dragged."""

    def __init__(self) -> None:
        self._line: _Line | None = None

    @property
    def refusal(self) -> str:
        """Reason for which the last change was refused, with the name of its node; empty if it was not."""
        return "" if self._line is None else self._line.words

    def make(
        self, frame: UiContext, document: Document, changes: tuple[Change, ...], node: int | None
    ) -> None:
        """Make changes as one step; what refuses them is said where the pointer is now."""
        place, self._line = imgui.get_mouse_pos(), None
        name = "" if node is None else document.label(node)

        def refused(reason: str, _can_force: bool) -> None:
            words = translated(reason)
            words = words if not name or name in words else f"{name}: {words}"
            self._line = _Line(readable(words), ImVec2(place.x, place.y), imgui.get_time() + SECONDS)

        frame.later(frame.control.edits.edit, document.address, changes, refused=refused)

    def draw(self) -> None:
        """Draw the line over everything, until it is read or the mouse does something else."""
        if self._line is None:
            return
        words, place, end = self._line
        if imgui.get_time() > end or imgui.is_mouse_clicked(imgui.MouseButton_.left):
            self._line = None
            return
        room, margin = imgui.get_main_viewport().work_size.x, theme.em(_MARGIN)
        words = shortened(words, room - 4 * margin)
        size = imgui.calc_text_size(words)
        corner = ImVec2(max(min(place.x, room - size.x - 2 * margin), 2 * margin), place.y + theme.em(1.2))
        painter = imgui.get_foreground_draw_list()
        border = ImVec2(margin, margin)
        start, stop = corner - border, corner + size + border
        painter.add_rect_filled(start, stop, theme.packed(theme.BACKDROP), theme.em(0.25))
        painter.add_rect(start, stop, theme.packed(theme.ERROR, 0.7), theme.em(0.25))
        painter.add_text(corner, theme.packed(theme.ERROR), words)
