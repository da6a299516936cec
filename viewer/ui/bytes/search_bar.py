"""The search in the bytes that are shown: what is looked for, how often it is there, the next one."""

from __future__ import annotations

from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.model.query.byte_search import ByteQuery, FoundBytes, Sought
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import count_text
from viewer.ui.widgets.filter_field import FilterField
from viewer.ui.widgets.widgets import icon_button, labeled, text, tooltip

_KINDS: Final = {
    Sought.BYTES: _("Bytes"),
    Sought.TEXT: _("Text"),
    Sought.NUMBER: _("Whole number"),
    Sought.FLOAT: _("Float near"),
}
_EXPLANATION: Final = _(
    "Bytes: 4D 53 ??. Text in CP1251, without regard to case. Whole number: 300, of any width, or "
    "300 u16, -5 i32, 0x10 u32be. Float near: 0.35 within half of its last digit, or 1 +- 0.1. "
    "Enter: the next one."
)
_WIDTH, _COUNT = 9.0, 14.0
"""Width of the choice of what is looked for, and of what follows the text, font heights."""


class SearchBar:
    """What is looked for in one payload; owner: a view."""

    def __init__(self) -> None:
        self._field = FilterField("bytes_search", _("Search in the bytes"), _EXPLANATION)
        self._sought = Sought.BYTES
        self._asked: ByteQuery | None = None
        self._is_waiting = self._jumps = False
        self._found: FoundBytes | None = None
        self._problem = ""

    @property
    def found(self) -> FoundBytes | None:
        """What was found."""
        return self._found

    def draw(self, frame: UiContext, data: memoryview, cursor: int, room: float) -> int | None:
        """Draw the bar; return the offset to go to.

        Parameters
        ----------
        cursor
            The offset that the next and the previous one are seen from.
        room
            What is drawn after it in the line, in display pixels.
        """
        imgui.set_next_item_width(theme.em(_WIDTH))
        if imgui.begin_combo("##sought", str(_KINDS[self._sought])):
            for kind, title in _KINDS.items():
                if imgui.selectable(labeled(str(title), kind.value), kind is self._sought)[0]:
                    self._sought = kind
            imgui.end_combo()
        imgui.same_line()
        self._field.draw(room=theme.em(_COUNT) + room)
        is_news = self._update(frame, data)
        step = 1 if self._field.is_entered and not is_news else 0
        imgui.same_line()
        has_any = self._found is not None and len(self._found.offsets) > 0
        if icon_button(fa.ICON_FA_CHEVRON_UP, "previous_found", _("Previous"), is_enabled=has_any):
            step = -1
        imgui.same_line(0, theme.em(0.2))
        if icon_button(fa.ICON_FA_CHEVRON_DOWN, "next_found", _("Next (Enter)"), is_enabled=has_any):
            step = 1
        imgui.same_line()
        self._draw_count(cursor)
        if self._found is None or not has_any or not (step or is_news):
            return None
        index = self._found.next_after(cursor - is_news, step or 1)
        return None if index is None else int(self._found.offsets[index])

    def _update(self, frame: UiContext, data: memoryview) -> bool:
        """Search again if something has changed; tell whether another answer has arrived."""
        words = self._field.text
        made_of = words, self._sought
        asked = self._asked
        if asked is None or asked.data is not data or (asked.text, asked.sought) != made_of:
            self._asked = ByteQuery(data, self._sought, words)
            self._jumps = asked is not None and asked.data is data
            self._found, self._problem = None, ""
            self._is_waiting = not self._field.is_empty
            if self._is_waiting:
                frame.commands.search.find_bytes(self._asked)
        answer = frame.state.found_bytes
        if not self._is_waiting or answer is None or answer.query is not self._asked:
            return False
        self._is_waiting = False
        self._found, self._problem = answer.found, answer.problem
        return self._jumps

    def _draw_count(self, cursor: int) -> None:
        imgui.align_text_to_frame_padding()
        if self._problem:
            text(fa.ICON_FA_TRIANGLE_EXCLAMATION, theme.WARNING)
            tooltip(translated(self._problem))
            return
        if self._found is None:
            text("…" if self._is_waiting else "", theme.DIM)
            return
        count = len(self._found.offsets)
        number = int(self._found.offsets.searchsorted(cursor))
        more = "+" if self._found.is_cut else ""
        is_at = number < count and int(self._found.offsets[number]) == cursor
        words = f"{count_text(count)}{more}"
        if is_at:
            words = _("{number} of {count}", number=count_text(number + 1), count=words)
        text(words, theme.DIM if count else theme.WARNING)
