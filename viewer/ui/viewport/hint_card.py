"""The first-run hint: five essential keys and gestures, where and as long as they leave the model free."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.session.opened.document import Document
from viewer.session.opened.silhouette import Silhouette, is_covered
from viewer.session.view.coloring import GROUPED
from viewer.session.view.view_state import ViewState
from viewer.translation import Message, _
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.card import LABELS, LOWER_LEFT, LOWER_RIGHT, MARGIN, PADDING, Area, card
from viewer.ui.widgets.widgets import ghost_button, labeled, text


class Hint(NamedTuple):
    """What a key or gesture does, as a sentence and as a word."""

    keys: Message
    sentence: Message
    word: Message


HINTS: Final = (
    Hint(Message("Drag"), Message("orbit; with Shift: pan; wheel: zoom"), Message("orbit")),
    Hint(Message("Click"), Message("select a part; click again: the part behind"), Message("select")),
    Hint(Message("Space"), Message("play and pause"), Message("play")),
    Hint(Message("[  ]"), Message("step through the LODs; with Shift: the groups"), Message("LOD")),
    Hint(Message("F1"), Message("all keys"), Message("keys")),
)
"""The most important first; the last leads to all keys."""
LEAST_ROWS: Final = 3
"""Rows below which they are written next to each other."""
GAP: Final = 1.0
"""Between two of them on one line, font heights."""


class HintForm(NamedTuple):
    """A form of the hint: what it says, its size on screen, and whether it is one line."""

    rows: Sequence[tuple[str, str]]
    width: float
    height: float
    is_line: bool


class HintCard:
    """A card in a lower corner that never covers the model; owner: the shell."""

    def __init__(self) -> None:
        self._made_of: tuple[object, ...] = ()
        self._silhouette: Silhouette | None = None

    def draw(self, frame: UiContext, document: Document, area: Area) -> None:
        """Draw the largest form that fits into a corner; the legend has the right one if there is one."""
        rectangles = self._silhouette_of(document, frame.view).rectangles(
            frame.view.camera, area.width / max(area.height, 1)
        )
        corners = (LOWER_LEFT,) if frame.view.shading in GROUPED else (LOWER_LEFT, LOWER_RIGHT)
        for shape in shapes(area, lambda words: imgui.calc_text_size(words).x):
            for corner in corners:
                if not is_covered(rectangles, *_place(shape, area, corner)):
                    _draw(frame, shape, area, corner)
                    return

    def _silhouette_of(self, document: Document, view: ViewState) -> Silhouette:
        played = view.playback.clip, view.playback.root
        made_of = document.identity, document.revision, document.shown(view), played
        if self._silhouette is None or made_of != self._made_of:
            self._made_of, self._silhouette = made_of, Silhouette(document, view)
        return self._silhouette


def shapes(area: Area, measure: Callable[[str], float]) -> Iterator[HintForm]:
    """Yield the forms that fit into an area, the largest first."""
    width, height = area.card_room
    spacing = imgui.get_style().cell_padding
    line = imgui.get_text_line_height() + 2 * spacing.y
    keys = max(measure(str(hint.keys)) for hint in HINTS) + 4 * spacing.x
    least = imgui.get_frame_height_with_spacing()
    for said in ([str(hint.sentence) for hint in HINTS], [str(hint.word) for hint in HINTS]):
        rows = [(str(hint.keys), words) for hint, words in zip(HINTS, said, strict=True)]
        wide = keys + max(map(measure, said))
        for count in range(len(rows), LEAST_ROWS - 1, -1):
            if wide <= width and count * line + least <= height:
                yield HintForm(_first(rows, count), wide, count * line + least, is_line=False)
    rows = [(str(hint.keys), str(hint.word)) for hint in HINTS]
    for count in range(len(rows), 0, -1):
        shown = _first(rows, count)
        wide = sum(measure(f"{key} {words}") + theme.em(GAP) for key, words in shown) + line
        if wide <= width and line <= height:
            yield HintForm(shown, wide, imgui.get_text_line_height(), is_line=True)


def _first(rows: Sequence[tuple[str, str]], count: int) -> Sequence[tuple[str, str]]:
    """Return some of the rows, always with the last, which leads to all keys."""
    return [*rows[:-1][: count - 1], rows[-1]]


def _place(shape: HintForm, area: Area, corner: tuple[float, float]) -> tuple[float, float, float, float]:
    """Return the left, top, right and bottom of a form in a corner, as shares of the area, 0 to 1."""
    across, down = (2 * theme.em(side) for side in PADDING)
    width, bottom = shape.width + across, area.height - theme.em(MARGIN + LABELS)
    left = theme.em(MARGIN) if corner == LOWER_LEFT else area.width - theme.em(MARGIN) - width
    top = bottom - shape.height - down
    return left / area.width, top / area.height, (left + width) / area.width, bottom / area.height


def _draw(frame: UiContext, shape: HintForm, area: Area, corner: tuple[float, float]) -> None:
    with card("##hint", area, corner):
        if shape.is_line:
            _draw_line(frame, shape)
            return
        if imgui.begin_table("##keys", 2, imgui.TableFlags_.sizing_fixed_fit):
            for key, words in shape.rows:
                imgui.table_next_row()
                imgui.table_next_column()
                text(key, theme.ACCENT)
                imgui.table_next_column()
                text(words)
            imgui.end_table()
        if imgui.button(labeled(_("Got it"), "dismiss_hint")):
            frame.commands.window.dismiss_hint()


def _draw_line(frame: UiContext, shape: HintForm) -> None:
    for key, words in shape.rows:
        text(key, theme.ACCENT)
        imgui.same_line(0, imgui.calc_text_size(" ").x)
        text(words)
        imgui.same_line(0, theme.em(GAP))
    if ghost_button(fa.ICON_FA_XMARK, "dismiss_hint", _("Got it"), theme.DIM):
        frame.commands.window.dismiss_hint()
