"""Cards over the viewport: the first-run hint, and what is missing of the materials."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.model.material.materials import FoundIn, Material, Materials
from viewer.model.store.address import Address
from viewer.session.field_text import counted
from viewer.session.opened.document import Document
from viewer.session.opened.silhouette import Silhouette, is_covered
from viewer.session.view.coloring import GROUPED
from viewer.session.view.options.shading import Shading
from viewer.session.view.view_state import ViewState, with_shading, with_shading_here
from viewer.translation import Text, _, translated
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.floating import (
    LABELS,
    LOWER_LEFT,
    LOWER_RIGHT,
    MARGIN,
    PADDING,
    UPPER_LEFT,
    Area,
    card,
)
from viewer.ui.widgets.names import name_of
from viewer.ui.widgets.widgets import ghost_button, labeled, text


class Hint(NamedTuple):
    """The effect of a key or gesture, as a sentence and as a word."""

    keys: Text
    sentence: Text
    word: Text


HINTS: Final = (
    Hint(_("Drag"), _("orbit; with Shift: pan; wheel: zoom"), _("orbit")),
    Hint(_("Click"), _("select a part; click again: the part behind"), _("select")),
    Hint(_("Space"), _("play and pause"), _("play")),
    Hint(_("[  ]"), _("step through the LODs; with Shift: the groups"), _("LOD")),
    Hint(_("F1"), _("all keys"), _("all keys")),
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
        self._silhouette = Cached(Silhouette)

    def draw(self, frame: UiContext, document: Document, area: Area) -> None:
        """Draw the largest form that fits into a corner; the legend has the right one if there is one."""
        view = frame.view
        aspect = area.width / max(area.height, 1)
        rectangles = self._silhouette_of(document, view).rectangles(view.camera, aspect)
        has_legend = view.shading in GROUPED or view.lab.is_marked
        corners = (LOWER_LEFT,) if has_legend else (LOWER_LEFT, LOWER_RIGHT)
        for shape in shapes(area, lambda words: imgui.calc_text_size(words).x):
            for corner in corners:
                if not is_covered(rectangles, *_place(shape, area, corner)):
                    _draw(frame, shape, area, corner)
                    return

    def _silhouette_of(self, document: Document, view: ViewState) -> Silhouette:
        played = view.playback.clip, view.playback.root
        made_of = document.identity, document.revision, document.shown(view), played
        return self._silhouette.of(made_of, document, view)


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
            frame.later(frame.control.settings.dismiss_hint)


def _draw_line(frame: UiContext, shape: HintForm) -> None:
    for key, words in shape.rows:
        text(key, theme.ACCENT)
        imgui.same_line(0, imgui.calc_text_size(" ").x)
        text(words)
        imgui.same_line(0, theme.em(GAP))
    if ghost_button(fa.ICON_FA_XMARK, "dismiss_hint", _("Got it"), theme.DIM):
        frame.later(frame.control.settings.dismiss_hint)


MODES: Final = (Shading.TEXTURED, Shading.ALBEDO)
"""Shading modes that show textures."""
MOST_REASONS: Final = 3
MOST_LETTERS: Final = 44
WRAPPED: Final = 16.0
"""Width of a single reason, which may have several lines, font heights."""
GIZMO: Final = 8.5
"""Width of the axes in the opposite corner."""
HINT: Final = 13.0
"""Height of the first-run hint below."""
ROOMY: Final = (17.0, 10.0)
"""Least width and height that show reasons and buttons; all of these in font heights."""


class Summary(NamedTuple):
    """Number of incomplete materials, and the reasons, each once."""

    incomplete: int
    reasons: tuple[str, ...]


class MissingCard:
    """A card in the upper left corner, until it is dismissed for a document.

    Parameters
    ----------
    show_materials
        Brings the panel with the materials to the front.
    """

    def __init__(self, show_materials: Callable[[], None]) -> None:
        self._show_materials = show_materials
        self._summary = Summary(0, ())
        self._seen: Materials | None = None
        self._dismissed: set[Address] = set()

    def draw(self, frame: UiContext, area: Area) -> None:
        """Draw it if the shading would show something that is missing, or is of this file alone."""
        document = frame.document
        if document is not None and frame.view.usual.shading is not None:
            _draw_own_shading(frame, frame.view.usual.shading, area)
            return
        if document is None or frame.view.shading not in MODES or document.address in self._dismissed:
            return
        if not document.shown(frame.view).triangle_count:
            return
        if document.materials is not self._seen:
            self._seen, self._summary = document.materials, summary_of(document)
        if self._summary.incomplete:
            self._draw(frame, document, area)

    def _draw(self, frame: UiContext, document: Document, area: Area) -> None:
        width, height = area.card_room
        width -= theme.em(GIZMO)
        height -= 0 if frame.state.settings.has_seen_hint else theme.em(HINT)
        total = len(document.materials.rows)
        words = headline(self._summary.incomplete, total)
        if height < 2 * theme.em() or imgui.calc_text_size(words).x + theme.em(3.5) > width:
            return
        with card("##missing", area, UPPER_LEFT):
            text(fa.ICON_FA_TRIANGLE_EXCLAMATION, theme.WARNING)
            imgui.same_line()
            text(words)
            imgui.same_line(0, theme.em())
            if ghost_button(fa.ICON_FA_XMARK, "dismiss", _("Don't show again for this model"), theme.DIM):
                self._dismissed.add(document.address)
            if width > theme.em(ROOMY[0]) and height > theme.em(ROOMY[1]):
                _draw_reasons(self._summary.reasons)
                self._draw_fixes(frame, document, width)

    def _draw_fixes(self, frame: UiContext, document: Document, width: float) -> None:
        right = imgui.get_cursor_screen_pos().x + width
        if _button(labeled(_("Materials"), "show_materials"), right, is_first=True):
            self._show_materials()
        if document.materials.wear_source is None and _button(
            labeled(_("Choose wear table…"), "choose_wear"), right
        ):
            frame.later(frame.control.dialogs.choose_wear)
        if document.game.folder is None and _button(labeled(_("Choose game folder…"), "choose_game"), right):
            frame.later(frame.control.dialogs.choose_game)
        if _button(labeled(_("Show without textures"), "show_lit"), right):
            frame.change(lambda view: with_shading_here(view, Shading.LIT))


def _draw_own_shading(frame: UiContext, usual: Shading, area: Area) -> None:
    """Draw the shading that this file alone has, and the button that returns to that of all files."""
    words = _("{mode}, for this file alone", mode=name_of(frame.view.shading))
    if area.card_room[0] < imgui.calc_text_size(words).x + theme.em(GIZMO):
        return
    with card("##own_shading", area, UPPER_LEFT):
        text(words)
        label = labeled(_("Show {mode} as other files", mode=name_of(usual)), "usual_shading")
        if imgui.button(label):
            frame.change(lambda view: with_shading(view, usual))


def summary_of(document: Document) -> Summary:
    """Return the missing or substituted resources of the materials of a document."""
    incomplete = [material for material in document.materials.rows if _reasons(material)]
    if incomplete and document.materials.packed is not None:
        return Summary(len(incomplete), (translated(document.materials.packed.text),))
    reasons = tuple(dict.fromkeys(chain.from_iterable(map(_reasons, incomplete))))
    return Summary(len(incomplete), (*_causes(document, incomplete, reasons), *reasons))


def _causes(document: Document, incomplete: list[Material], reasons: tuple[str, ...]) -> list[str]:
    """Return the common cause of several reasons: no game folder, or a missing library."""
    if document.game.folder is None:
        return [_("no game folder is set")] if incomplete else []
    if len(reasons) <= 1:
        return []
    return [
        translated(problem)
        for problem in incomplete[0].problems
        if all(problem in material.problems for material in incomplete) and problem not in reasons
    ]


def headline(count: int, total: int) -> str:
    """Return how many of the materials are incomplete."""
    if count == total:
        return counted(total, "{count} material is incomplete", "All {count} materials are incomplete")
    return counted(
        count,
        "{count} of {total} materials is incomplete",
        "{count} of {total} materials are incomplete",
        total=total,
    )


def _reasons(material: Material) -> list[str]:
    instead = material.found in (FoundIn.DEFAULT, FoundIn.FIRST)
    words = _("material {name} not found; using a substitute", name=material.name)
    fallback = [words] if instead else []
    missing = (*material.missing, material.missing_lightmap)
    return [*fallback, *(str(item) for item in missing if item is not None)]


def _draw_reasons(reasons: tuple[str, ...]) -> None:
    if len(reasons) == 1:
        imgui.push_text_wrap_pos(theme.em(WRAPPED))
        text(reasons[0], theme.DIM)
        imgui.pop_text_wrap_pos()
        return
    for reason in reasons[:MOST_REASONS]:
        text(reason if len(reason) <= MOST_LETTERS else f"{reason[: MOST_LETTERS - 1]}…", theme.DIM)
    if len(reasons) > MOST_REASONS:
        text(_("and {count} more", count=len(reasons) - MOST_REASONS), theme.DIM)


def _button(label: str, right: float, *, is_first: bool = False) -> bool:
    """Draw a button next to the previous one, or below it if it would reach beyond `right`."""
    style = imgui.get_style()
    end = imgui.get_item_rect_max().x + style.item_spacing.x + 2 * style.frame_padding.x
    if not is_first and end + imgui.calc_text_size(label, hide_text_after_double_hash=True).x <= right:
        imgui.same_line()
    return imgui.button(label)
