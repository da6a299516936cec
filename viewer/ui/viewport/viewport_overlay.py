"""Overlays of the viewport: orientation, grid step, messages, why nothing is visible."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from math import isnan
from typing import NamedTuple

import numpy as np
from imgui_bundle import ImVec2, imgui

from viewer.model.mesh.shown import Cutaway
from viewer.session.opened.document import Document
from viewer.session.program import FrameStatistics
from viewer.session.view.camera import Camera, axes_length, grid_step
from viewer.session.view.view_state import (
    Background,
    Overlay,
    Shading,
    ViewState,
    show_all,
    with_cell_here,
    with_drawn,
    with_lod,
    with_shading_here,
)
from viewer.translation import _
from viewer.ui.context import UiContext, ViewChange
from viewer.ui.viewport.shadings import obstacle
from viewer.ui.viewport.world_labels import screen_points
from viewer.ui.widgets import theme
from viewer.ui.widgets.card import MARGIN, Area, card
from viewer.ui.widgets.cell_text import cell_name
from viewer.ui.widgets.field_text import count_text, counted, float_text
from viewer.ui.widgets.widgets import fitting, labeled, text


def draw_overlay(frame: UiContext, area: Area) -> None:
    """Draw over the image in the current window."""
    document = frame.document
    if document is None:
        _draw_invitation(frame, area)
    else:
        _draw_labels(frame, area)
        _draw_emptiness(frame, document, area)


def _draw_labels(frame: UiContext, area: Area) -> None:
    """The letters at the ends of the world axes; along the lower edge the grid step and what is left out."""
    view, painter = frame.view, imgui.get_window_draw_list()
    painter.push_clip_rect(*area.corners, True)
    if Overlay.AXES in view.overlays:
        for axis, place in enumerate(axis_tips(view.camera, area)):
            if place is not None:
                half = imgui.calc_text_size("XYZ"[axis]) / 2
                painter.add_text(place - half, theme.packed(theme.AXES[axis]), "XYZ"[axis])
    place = ImVec2(area.left + theme.em(MARGIN), area.top + area.height - theme.em(1.7))
    if Overlay.GRID in view.overlays:
        words = _("grid {step}").format(step=float_text(grid_step(view.camera)))
        ink = theme.INK if view.background is Background.LIGHT else theme.DIM
        painter.add_text(place, theme.packed(ink), words)
        place.x += imgui.calc_text_size(words).x + theme.em(1.2)
    if frame.state.statistics.left_out:
        _draw_left_out(frame.state.statistics, place, area.left + area.width - theme.em(MARGIN) - place.x)
    painter.pop_clip_rect()


def _draw_left_out(statistics: FrameStatistics, place: ImVec2, room: float) -> None:
    """The line that says how much of the model is not drawn, shortened to the space available."""
    painter, gap = imgui.get_window_draw_list(), ImVec2(theme.em(0.4), theme.em(0.15))
    words = fitting(left_out_texts(statistics), room)
    end = place + imgui.calc_text_size(words)
    painter.add_rect_filled(place - gap, end + gap, theme.packed(theme.BACKDROP), theme.em(0.25))
    painter.add_text(place, theme.packed(theme.WARNING), words)


def left_out_texts(statistics: FrameStatistics) -> tuple[str, ...]:
    """Return how much of a model is not drawn, as texts from long to short."""
    count, whole = statistics.left_out, statistics.triangles + statistics.left_out
    numbers = {"left_out": count_text(count), "count": count_text(whole)}
    choices = (
        _("{left_out} of {count} triangles are left out: drawing them takes too long"),
        _("{left_out} of {count} triangles are left out"),
        _("{left_out} triangles left out"),
    )
    return tuple(words.format(**numbers) for words in choices)


def axis_tips(camera: Camera, area: Area) -> list[ImVec2 | None]:
    """Return the screen positions of the ends of the world axes; None for one behind the eye."""
    tips = screen_points(camera, area, np.eye(3) * axes_length(camera) * 1.12)
    return [None if isnan(x) else ImVec2(x, y) for x, y, _ in tips.tolist()]


def _draw_emptiness(frame: UiContext, document: Document, area: Area) -> None:
    """Explain why nothing is visible, and offer a fix."""
    view = frame.view
    if not document.shown(view).triangle_count:
        _draw_remedy(frame, area, remedy(document, view))
    elif reason := obstacle(document, view.shading):
        _draw_message(
            area,
            reason,
            _("Show textured"),
            lambda: frame.change(lambda view: with_shading_here(view, Shading.TEXTURED)),
        )


def _draw_remedy(frame: UiContext, area: Area, found: Remedy) -> None:
    def accept() -> None:
        frame.change(found.change)
        if found.moves_camera:
            frame.commands.camera.restore()

    _draw_message(area, found.reason, found.offer, accept)


def _draw_message(area: Area, words: str, offer: str, accept: Callable[[], None]) -> None:
    with card("##message", area):
        text(words)
        if offer and imgui.button(labeled(offer, "accept")):
            accept()


def _draw_invitation(frame: UiContext, area: Area) -> None:
    with card("##invitation", area):
        text(frame.state.busy or _("Drop a model, an archive or a game folder here"))
        if imgui.button(labeled(_("Open…"), "open")):
            frame.commands.dialogs.open_file()


class Remedy(NamedTuple):
    """A sentence, the text of a button or nothing, and what the button does."""

    reason: str
    offer: str
    change: ViewChange
    moves_camera: bool = False


def remedy(document: Document, view: ViewState) -> Remedy:
    """Return why a view shows nothing, and the smallest change that would show something."""
    switches = [*_switches(view)]
    together = _together(switches)
    for found in (*switches, together):
        if document.shown(found.change(view)).triangle_count:
            return found
    return _other_cell(document, together.change(view), together)


def _switches(view: ViewState) -> Iterator[Remedy]:
    """The switches of the view that may hide everything, each with what shows the model again."""
    if view.hidden or view.isolated is not None:
        yield Remedy(_("everything in this cell is hidden"), _("Show all"), show_all)
    if view.drawn.cutaway is not Cutaway.ALL:
        is_inside = view.drawn.cutaway is Cutaway.INSIDE
        words = _("no internal parts in this cell") if is_inside else _("no external parts in this cell")
        yield Remedy(words, _("Show all parts"), lambda v: with_drawn(v, cutaway=Cutaway.ALL))
    if view.drawn.is_own_view:
        words = _("the own view (group 4) shows nothing of this model")
        yield Remedy(words, _("Show from outside"), lambda v: with_drawn(v, is_own_view=False), True)
    if view.drawn.is_destroyed:
        words = _("nothing is left of this model when it is destroyed")
        yield Remedy(words, _("Show it whole"), lambda v: with_lod(v, 0))


def _together(switches: list[Remedy]) -> Remedy:
    """All of them at once, for switches of which none hides everything by itself."""

    def change(view: ViewState) -> ViewState:
        return reduce(lambda changed, each: each.change(changed), switches, view)

    words = _("several switches together hide everything of this model")
    return Remedy(words, _("Show all parts"), change, any(each.moves_camera for each in switches))


def _other_cell(document: Document, view: ViewState, together: Remedy) -> Remedy:
    """The button that shows another cell; `view` is what `together` makes of the view."""
    choice = view.parts
    cell = document.chooser.nearest_cell(choice)
    if cell is None:
        return Remedy(_("this model has no geometry in any cell"), "", lambda v: v)
    words = _("no geometry in {cell}").format(cell=cell_name(document, choice.lod, choice.group))
    count = int(document.chooser.triangle_counts(choice)[cell])
    offer = _("Show {cell}  ({triangles})").format(
        cell=cell_name(document, *cell), triangles=counted(count, "{count} triangle", "{count} triangles")
    )
    return Remedy(words, offer, lambda v: with_cell_here(together.change(v), *cell), together.moves_camera)
