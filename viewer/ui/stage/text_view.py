"""A payload that is text: its lines, numbered, wrapped at the width of the panel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.model.store.place import BYTES, Place
from viewer.session.field_text import counted
from viewer.session.opened.opened_resource import OpenedResource
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import copy_menu, icon_button, labeled, text

_FLAGS = (
    imgui.TableFlags_.scroll_y
    | imgui.TableFlags_.scroll_x
    | imgui.TableFlags_.borders_inner_v
    | imgui.TableFlags_.no_saved_settings
)
TAB: Final = "    "
LONGEST: Final = 2000
"""Letters of a line that are drawn at once; longer ones go on in the next."""

Line = tuple[int | None, str]
"""The number of a line, None if it continues the one before, and its text."""


class TextView:
    """The view of a text."""

    id = "text"
    title = _("Text")

    def __init__(self) -> None:
        self._is_wrapped = True
        self._made_of: tuple[str, float] | None = None
        self._lines: list[Line] = []
        self._words = ""
        self._count = 0
        self._marked: int | None = None
        self._is_revealing = False

    def reveal(self, opened: OpenedResource, place: Place) -> bool:
        """Mark the line with the byte of a place; tell whether there is one."""
        if opened.text is None or place.table != BYTES or place.row is None:
            return False
        if place.row >= len(opened.text):
            return False
        self._marked, self._is_revealing = line_at(opened.text, place.row), True
        return True

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw the lines on screen."""
        words = opened.text or ""
        if words is not self._words:
            self._words, self._count = words, len(words.splitlines())
        self._is_wrapped = imgui.checkbox(labeled(_("Wrap"), "wrap"), self._is_wrapped)[1]
        imgui.same_line()
        if icon_button(fa.ICON_FA_COPY, "copy_text", _("Copy the whole text")):
            frame.later(frame.control.window.copy_text, words)
        imgui.same_line()
        imgui.align_text_to_frame_padding()
        text(counted(self._count, "{count} line, CP1251", "{count} lines, CP1251"), theme.DIM)
        if not imgui.begin_table("##text", 2, _FLAGS, ImVec2(0, 0)):
            return
        width = imgui.calc_text_size("00000").x
        imgui.table_setup_column("line", imgui.TableColumnFlags_.width_fixed, width)
        imgui.table_setup_column("text", imgui.TableColumnFlags_.width_fixed)
        room = imgui.get_window_width() - width - theme.em(2.5)
        self._lay_out(words, room if self._is_wrapped else 0.0)
        for row in rows_on_screen(len(self._lines), self._row_to_show()):
            number, line = self._lines[row]
            imgui.table_next_row()
            if number is not None and number == self._marked:
                imgui.table_set_bg_color(imgui.TableBgTarget_.row_bg0, theme.packed(theme.ACCENT, 0.3))
            imgui.table_next_column()
            text("" if number is None else str(number), theme.FAINT)
            imgui.table_next_column()
            text(line)
            copy_menu(f"copy{row}", line)
        imgui.end_table()

    def _row_to_show(self) -> int | None:
        is_asked, self._is_revealing = self._is_revealing, False
        rows = (
            row for row, (number, _ignored) in enumerate(self._lines) if is_asked and number == self._marked
        )
        return next(rows, None)

    def _lay_out(self, words: str, room: float) -> None:
        if self._made_of != (words, room):
            self._made_of = words, room
            widest = imgui.get_font_size()
            self._lines = [*lines_of(words, lambda part: _width(part, room, widest), room)]


def line_at(words: str, offset: int) -> int:
    """Return the number of the line with a letter, 1 being the first; each letter is a byte."""
    return max(1, len(words[: offset + 1].splitlines()))


def _width(part: str, room: float, widest: float) -> float:
    """The width of a text; 0 if it fits even if all its letters are as wide as the widest."""
    # Measuring text costs far more than counting letters, and most lines are short.
    return 0.0 if len(part) * widest <= room else imgui.calc_text_size(part).x


def lines_of(words: str, width_of: Callable[[str], float], room: float) -> Iterator[Line]:
    """Yield the lines of a text with their numbers, 1 being the first; a `room` of 0 does not wrap."""
    for number, line in enumerate(words.replace("\x1a", "").splitlines(), 1):
        whole = line.replace("\t", TAB)
        starts = range(0, max(len(whole), 1), LONGEST)
        parts = (whole[start : start + LONGEST] for start in starts)
        pieces = chain.from_iterable(
            wrapped_line(part, width_of, room) if room > 0 else [part] for part in parts
        )
        for index, piece in enumerate(pieces):
            yield (number if index == 0 else None), piece


def wrapped_line(line: str, width_of: Callable[[str], float], room: float) -> list[str]:
    """Return a line cut into pieces that fit, after a blank if there is one; always one letter or more."""
    pieces: list[str] = []
    while line and width_of(line) > room:
        end = _fitting(line, width_of, room)
        blank = line.rfind(" ", 1, end + 1)
        cut = blank + 1 if blank > 0 else end
        pieces.append(line[:cut].rstrip(" ") or line[:cut])
        line = line[cut:]
    return [*pieces, line] if line or not pieces else pieces


def _fitting(line: str, width_of: Callable[[str], float], room: float) -> int:
    """The most letters of a line that fit, at least one."""
    low, high = 1, len(line)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if width_of(line[:middle]) <= room else (low, middle - 1)
    return low
