"""The section about parts: how cells are chosen, damage, level of detail, own view, inside and outside."""

from __future__ import annotations

from functools import partial
from typing import Final

from imgui_bundle import imgui

from viewer.model.mesh.detail import COARSEST, THRESHOLDS
from viewer.model.mesh.part_choice import OWN_VIEW, CellRule, Cutaway
from viewer.session.view.view_state import (
    LOD_COUNT,
    Overlay,
    toggle_overlay,
    with_column,
    with_destruction,
    with_drawn,
    with_row,
    with_rule,
)
from viewer.translation import Message, _
from viewer.ui.context import UiContext
from viewer.ui.display.rows import choice, continue_row, row_label
from viewer.ui.requests import RestoreCamera
from viewer.ui.widgets import theme
from viewer.ui.widgets.cell_text import COLUMN_HINT, has_stages, row_hint
from viewer.ui.widgets.field_text import counted
from viewer.ui.widgets.names import name_of
from viewer.ui.widgets.widgets import labeled, text, tooltip

_SLIDER: Final = imgui.SliderFlags_.always_clamp | imgui.SliderFlags_.no_input
_SLIDER_ROOM: Final = 4.0
"""Least width of a slider next to something else, font heights."""
RULES: Final = {
    CellRule.GAME: Message("A node without the damage stage or the level asked for shows the nearest it has"),
    CellRule.EXACT: Message("The cell asked for, or nothing"),
}


def draw(frame: UiContext) -> None:
    """Draw the section."""
    row_label(_("cells"))
    _draw_rules(frame)
    if not has_stages(frame.document):
        row_label(_("LOD"))
        _draw_terrain_detail(frame)
        return
    row_label(_("damage"))
    _draw_damage(frame)
    row_label(_("LOD"))
    _draw_detail(frame)
    row_label(_("view"))
    _draw_own_view(frame)
    row_label(_("building"))
    _draw_cutaway(frame)
    row_label("")
    _draw_portals(frame)


def _draw_rules(frame: UiContext) -> None:
    for number, rule in enumerate(CellRule):
        is_on = frame.view.drawn.cells is rule
        if choice(name_of(rule), rule.value, is_on=is_on, is_first=not number):
            frame.change(partial(with_rule, rule=rule))
        tooltip(str(RULES[rule]))


def _draw_damage(frame: UiContext) -> None:
    """The stages of the model, and after the last one its destruction; exactly: the rows."""
    view = frame.view
    is_game = view.drawn.cells is CellRule.GAME
    last = LOD_COUNT - 1 if not is_game or frame.document is None else frame.document.chooser.row_count - 1
    most = last + 1 if is_game else last
    stage = most if is_game and view.drawn.is_destroyed else min(view.lod, last)
    imgui.set_next_item_width(-1)
    changed, stage = imgui.slider_int("###damage", stage, 0, most, _stage_text(stage, last), _SLIDER)
    tooltip(
        [row_hint(frame.document), _("The last position is life 0: only nodes with flag 0x0100 are drawn.")]
    )
    if changed:
        frame.change(with_destruction if stage > last else lambda view: with_row(view, stage))


def _draw_terrain_detail(frame: UiContext) -> None:
    """The levels of a terrain, which are rows."""
    last = LOD_COUNT - 1 if frame.document is None else frame.document.chooser.row_count - 1
    imgui.set_next_item_width(-1)
    changed, row = imgui.slider_int("###detail", min(frame.view.lod, last), 0, last, "%d", _SLIDER)
    tooltip(row_hint(frame.document))
    if changed:
        frame.change(lambda view: with_row(view, row))


def _stage_text(stage: int, last: int) -> str:
    if stage > last:
        return _("destroyed")
    return _("{stage}: whole").format(stage=stage) if stage == 0 else f"{stage}"


def _draw_detail(frame: UiContext) -> None:
    view = frame.view
    words = _("Auto: {column}").format(column=view.group) if view.drawn.has_auto_detail else _("Auto")
    changed, is_on = imgui.checkbox(labeled(words, "auto_detail"), view.drawn.has_auto_detail)
    tooltip([_("By the size of the model in the image"), detail_hint()])
    if changed:
        frame.change(lambda view: with_drawn(view, has_auto_detail=is_on, is_own_view=False))
    continue_row(theme.em(_SLIDER_ROOM))
    imgui.set_next_item_width(-1)
    column = view.parts.column
    words = _("own view") if column == OWN_VIEW else "%d"
    changed, column = imgui.slider_int("###detail", min(column, COARSEST), 0, COARSEST, words, _SLIDER)
    tooltip(str(COLUMN_HINT))
    if changed:
        frame.change(lambda view: with_column(view, column))


def detail_hint() -> str:
    """Return at which sizes the level of detail changes, and who says so."""
    shares = ", ".join(f"1/{round(1 / share)}" for share in reversed(THRESHOLDS))
    words = _(
        "Levels 1, 2, 3 below {shares} of the height. The game's own limits are unknown: these are ours."
    )
    return words.format(shares=shares)


def _draw_own_view(frame: UiContext) -> None:
    changed, is_on = imgui.checkbox(labeled(_("Own view"), "own_view"), frame.view.drawn.is_own_view)
    tooltip(_("As the unit sees itself: column 4 alone, between planes at 0.05 and 10"))
    if changed:
        frame.change(lambda view: with_drawn(view, is_own_view=is_on))
        frame.request(RestoreCamera())


def _draw_cutaway(frame: UiContext) -> None:
    document = frame.document
    imgui.begin_disabled(document is not None and not document.chooser.has_internal)
    for number, cutaway in enumerate(Cutaway):
        is_on = frame.view.drawn.cutaway is cutaway
        if choice(name_of(cutaway), cutaway.value, is_on=is_on, is_first=not number):
            frame.change(partial(with_drawn, cutaway=cutaway))
        tooltip(_("Internal parts are the nodes with flag 0x0001"))
    imgui.end_disabled()


def _draw_portals(frame: UiContext) -> None:
    count = 0 if frame.document is None else frame.document.chooser.portal_count
    imgui.begin_disabled(frame.document is not None and not count)
    changed, _is_on = imgui.checkbox(
        labeled(name_of(Overlay.PORTALS), Overlay.PORTALS.value), Overlay.PORTALS in frame.view.overlays
    )
    imgui.end_disabled()
    words = counted(count, "{count} portal", "{count} portals")
    continue_row(imgui.calc_text_size(words).x)
    text(words, theme.DIM)
    if changed:
        frame.change(lambda view: toggle_overlay(view, Overlay.PORTALS))
