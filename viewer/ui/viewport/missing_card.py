"""What the materials on screen lack, and the ways out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Final, NamedTuple

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.model.material.materials import Found, Material, Materials
from viewer.session.document import Document
from viewer.session.view_state import Shading
from viewer.ui.context import UiContext
from viewer.ui.requests import OpenDialog, UseGame, UseWear
from viewer.ui.widgets import theme
from viewer.ui.widgets.card import UPPER_LEFT, Area, card
from viewer.ui.widgets.widgets import ghost_button, text

MODES: Final = (Shading.TEXTURED, Shading.ALBEDO)
"""Ways of shading that show what is lacking."""
MOST_REASONS: Final = 3
MOST_LETTERS: Final = 44
GIZMO: Final = 8.5
"""Width that the axes in the other corner take."""
HINT: Final = 13.0
"""Height that the first-run hint takes below."""
ROOMY: Final = (17.0, 10.0)
"""Width and height from which there are reasons and ways out; all of these in font heights."""


class Summary(NamedTuple):
    """How many materials lack something, and what, each thing once."""

    lacking: int
    reasons: tuple[str, ...]


class MissingCard:
    """A card in the upper left corner, until it is sent away for a document.

    Parameters
    ----------
    show_materials
        Brings the panel with the materials to the front.
    """

    def __init__(self, show_materials: Callable[[], None]) -> None:
        self._show_materials = show_materials
        self._summary = Summary(0, ())
        self._seen: Materials | None = None
        self._dismissed: set[str] = set()

    def draw(self, frame: UiContext, area: Area) -> None:
        """Draw it where something is lacking that the shading would show."""
        document = frame.document
        if document is None or frame.view.shading not in MODES or document.address in self._dismissed:
            return
        if not document.triangle_counts[frame.view.lod, frame.view.group]:
            return
        if document.materials is not self._seen:
            self._seen, self._summary = document.materials, summary_of(document)
        if self._summary.lacking:
            self._draw(frame, document, area)

    def _draw(self, frame: UiContext, document: Document, area: Area) -> None:
        width, height = area.card_room
        width -= theme.em(GIZMO)
        height -= theme.em(HINT) if frame.has_hint else 0
        total = len(document.materials.rows)
        words = headline(self._summary.lacking, total)
        if height < 2 * theme.em() or imgui.calc_text_size(words).x + theme.em(3.5) > width:
            return
        with card("##lacks", area, UPPER_LEFT):
            text(fa.ICON_FA_TRIANGLE_EXCLAMATION, theme.WARNING)
            imgui.same_line()
            text(words)
            imgui.same_line(0, theme.em())
            if ghost_button(fa.ICON_FA_XMARK, "dismiss", "Not again for this model", theme.DIM):
                self._dismissed.add(document.address)
            if width > theme.em(ROOMY[0]) and height > theme.em(ROOMY[1]):
                _draw_reasons(self._summary.reasons)
                self._draw_ways_out(frame, document, width)

    def _draw_ways_out(self, frame: UiContext, document: Document, width: float) -> None:
        right = imgui.get_cursor_screen_pos().x + width
        if _way_out("Materials", right, is_first=True):
            self._show_materials()
        if document.materials.wear_source is None and _way_out("Choose wear table…", right):
            frame.request(OpenDialog(is_entry=True, wanted=UseWear))
        if document.game.folder is None and _way_out("Choose game folder…", right):
            frame.request(OpenDialog(is_folder=True, wanted=UseGame))
        if _way_out("Show it lit", right):
            frame.change(lambda view: replace(view, shading=Shading.LIT))


def summary_of(document: Document) -> Summary:
    """Return what the materials of a document lack, or have something else in place of."""
    lacking = [material for material in document.materials.rows if _reasons(material)]
    reasons = tuple(dict.fromkeys(chain.from_iterable(map(_reasons, lacking))))
    return Summary(len(lacking), (*_causes(document, lacking, reasons), *reasons))


def _causes(document: Document, lacking: list[Material], reasons: tuple[str, ...]) -> list[str]:
    """Return what several reasons have in common: no game folder, or a library that is not there."""
    if document.game.folder is None:
        return ["no game folder is known"] if lacking else []
    if len(reasons) <= 1:
        return []
    return [
        problem
        for problem in lacking[0].problems
        if all(problem in material.problems for material in lacking) and problem not in reasons
    ]


def headline(count: int, total: int) -> str:
    """Return how many of the materials are incomplete."""
    if count == total:
        return "The material is incomplete" if total == 1 else f"All {total} materials are incomplete"
    return f"{count} of {total} materials {'is' if count == 1 else 'are'} incomplete"


def _reasons(material: Material) -> list[str]:
    instead = material.found in (Found.DEFAULT, Found.FIRST)
    fallback = [f"no material {material.name}, another instead"] if instead else []
    missing = (*material.missing, material.missing_lightmap)
    return [*fallback, *(str(lack) for lack in missing if lack is not None)]


def _draw_reasons(reasons: tuple[str, ...]) -> None:
    for reason in reasons[:MOST_REASONS]:
        text(reason if len(reason) <= MOST_LETTERS else f"{reason[: MOST_LETTERS - 1]}…", theme.DIM)
    if len(reasons) > MOST_REASONS:
        text(f"and {len(reasons) - MOST_REASONS} more", theme.DIM)


def _way_out(words: str, right: float, *, is_first: bool = False) -> bool:
    """Draw a button beside the one before it, below where that would reach too far to the right."""
    style = imgui.get_style()
    end = imgui.get_item_rect_max().x + style.item_spacing.x + 2 * style.frame_padding.x
    if not is_first and end + imgui.calc_text_size(words).x <= right:
        imgui.same_line()
    return imgui.button(words)
