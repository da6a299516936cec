"""Overlays of the viewport: orientation, grid step, messages, hints."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan

import numpy as np
from imgui_bundle import ImVec2, imgui

from viewer.session.opened.document import Document
from viewer.session.statistics import FrameStatistics
from viewer.session.view.camera import Camera
from viewer.session.view.scale import axes_length, grid_step
from viewer.session.view.view_state import Background, Overlay, Shading, ViewState, with_shading_here
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.viewport.emptiness import Remedy, remedy
from viewer.ui.viewport.shadings import obstacle
from viewer.ui.viewport.world_labels import screen_points
from viewer.ui.widgets import theme
from viewer.ui.widgets.card import MARGIN, Area, card
from viewer.ui.widgets.field_text import count_text, float_text
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
        _draw_message(area, reason, _("Show textured"), lambda: frame.change(_textured))


def _draw_remedy(frame: UiContext, area: Area, found: Remedy) -> None:
    def accept() -> None:
        frame.change(found.change)
        if found.moves_camera:
            frame.commands.camera.restore()

    _draw_message(area, found.reason, found.offer, accept)


def _textured(view: ViewState) -> ViewState:
    return with_shading_here(view, Shading.TEXTURED)


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
