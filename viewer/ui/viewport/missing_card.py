"""A card over the viewport: missing materials and textures, and how to fix that."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Final, NamedTuple

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.model.material.materials import Found, Material, Materials
from viewer.session.opened.document import Document
from viewer.session.view.view_state import Shading, with_shading, with_shading_here
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.card import UPPER_LEFT, Area, card
from viewer.ui.widgets.field_text import counted
from viewer.ui.widgets.names import name_of
from viewer.ui.widgets.widgets import ghost_button, labeled, text

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
    """How many materials are incomplete, and why, each reason once."""

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
        self._dismissed: set[str] = set()

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
            frame.commands.dialogs.choose_wear()
        if document.game.folder is None and _button(labeled(_("Choose game folder…"), "choose_game"), right):
            frame.commands.dialogs.choose_game()
        if _button(labeled(_("Show without textures"), "show_lit"), right):
            frame.change(lambda view: with_shading_here(view, Shading.LIT))


def _draw_own_shading(frame: UiContext, usual: Shading, area: Area) -> None:
    """Draw the shading that this file alone has, and the button that returns to that of all files."""
    words = _("{mode}, for this file alone").format(mode=name_of(frame.view.shading))
    if area.card_room[0] < imgui.calc_text_size(words).x + theme.em(GIZMO):
        return
    with card("##own_shading", area, UPPER_LEFT):
        text(words)
        label = labeled(_("Show {mode} as other files").format(mode=name_of(usual)), "usual_shading")
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
    instead = material.found in (Found.DEFAULT, Found.FIRST)
    words = _("material {name} not found; using a substitute").format(name=material.name)
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
        text(_("and {count} more").format(count=len(reasons) - MOST_REASONS), theme.DIM)


def _button(label: str, right: float, *, is_first: bool = False) -> bool:
    """Draw a button next to the previous one, or below it if it would reach beyond `right`."""
    style = imgui.get_style()
    end = imgui.get_item_rect_max().x + style.item_spacing.x + 2 * style.frame_padding.x
    if not is_first and end + imgui.calc_text_size(label, hide_text_after_double_hash=True).x <= right:
        imgui.same_line()
    return imgui.button(label)
