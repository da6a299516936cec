"""The first-run hint: five essential keys and gestures, shortened to the space available."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from imgui_bundle import imgui

from viewer.translation import Message, _
from viewer.ui.context import UiContext
from viewer.ui.requests import DismissHint
from viewer.ui.widgets import theme
from viewer.ui.widgets.card import LOWER_LEFT, Area, card
from viewer.ui.widgets.widgets import labeled, text


class Hint(NamedTuple):
    """What a key or gesture does, as a sentence and as a word."""

    keys: Message
    sentence: Message
    word: Message


HINTS: Final = (
    Hint(Message("Drag"), Message("orbit; with Shift: pan; wheel: zoom"), Message("orbit")),
    Hint(Message("Click"), Message("select a part; click again: the part behind"), Message("select")),
    Hint(Message("Space"), Message("play and pause"), Message("play")),
    Hint(Message("[  ]"), Message("step through the levels of detail"), Message("detail")),
    Hint(Message("F1"), Message("all keys"), Message("keys")),
)
"""The most important first; the last leads to all keys."""
SHARE: Final = 0.65
"""Largest share of the viewport's height."""
LEAST: Final = 4.0
"""Width below which no hint is shown, font heights."""


def draw_hint(frame: UiContext, area: Area) -> None:
    """Draw the part of the hint that fits into the lower left corner."""
    width, height = area.card_room
    spacing = imgui.get_style().cell_padding
    keys = max(imgui.calc_text_size(str(hint.keys)).x for hint in HINTS) + 4 * spacing.x
    line = imgui.get_text_line_height() + 2 * spacing.y
    lines = int((height * SHARE - imgui.get_frame_height_with_spacing()) / line)
    shown = hints(width - keys, lines, lambda words: imgui.calc_text_size(words).x)
    if not shown or width < theme.em(LEAST):
        return
    with card("##hint", area, LOWER_LEFT):
        if imgui.begin_table("##keys", 2, imgui.TableFlags_.sizing_fixed_fit):
            for key, words in shown:
                imgui.table_next_row()
                imgui.table_next_column()
                text(key, theme.ACCENT)
                imgui.table_next_column()
                text(words)
            imgui.end_table()
        if imgui.button(labeled(_("Got it"), "dismiss_hint")):
            frame.request(DismissHint())


def hints(width: float, lines: int, measure: Callable[[str], float]) -> Sequence[tuple[str, str]]:
    """Return the keys and what they do, at most `width` wide and `lines` high."""
    for words in ([str(hint.sentence) for hint in HINTS], [str(hint.word) for hint in HINTS]):
        if max(map(measure, words)) <= width:
            rows = [(str(hint.keys), said) for hint, said in zip(HINTS, words, strict=True)]
            return [*rows[:-1][: lines - 1], rows[-1]] if lines > 0 else []
    return []
