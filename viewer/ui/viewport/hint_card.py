"""The first-run hint: five things that a newcomer needs, fewer words and lines where there is less room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from imgui_bundle import imgui

from viewer.ui.context import UiContext
from viewer.ui.requests import DismissHint
from viewer.ui.widgets import theme
from viewer.ui.widgets.card import LOWER_LEFT, Area, card
from viewer.ui.widgets.widgets import text


class Hint(NamedTuple):
    """What a key or a movement does, in a sentence and in a word."""

    keys: str
    sentence: str
    word: str


HINTS: Final = (
    Hint("Drag", "turn around the model; Shift pans, the wheel zooms", "turn"),
    Hint("Click", "select a part; again: what lies beneath", "select"),
    Hint("Space", "play and pause", "play"),
    Hint("[  ]", "step through the levels of detail", "detail"),
    Hint("F1", "all keys", "keys"),
)
"""The most important first; the last leads to all others."""
SHARE: Final = 0.65
"""Part of the picture's height that it covers at most."""
LEAST: Final = 4.0
"""Width of words below which there is no hint at all, font heights."""


def draw_hint(frame: UiContext, area: Area) -> None:
    """Draw the hint into the lower left corner, as much of it as fits."""
    width, height = area.card_room
    spacing = imgui.get_style().cell_padding
    keys = max(imgui.calc_text_size(hint.keys).x for hint in HINTS) + 4 * spacing.x
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
        if imgui.button("Got it"):
            frame.request(DismissHint())


def hints(width: float, lines: int, measure: Callable[[str], float]) -> Sequence[tuple[str, str]]:
    """Return the keys and what they do, no wider and no more than there is room for."""
    for words in ([hint.sentence for hint in HINTS], [hint.word for hint in HINTS]):
        if max(map(measure, words)) <= width:
            rows = [(hint.keys, said) for hint, said in zip(HINTS, words, strict=True)]
            return [*rows[:-1][: lines - 1], rows[-1]] if lines > 0 else []
    return []
