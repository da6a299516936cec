"""The bar above the panels: which cell of the slot matrix is shown, how it is shaded, what is overlaid."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.session.document import Document
from viewer.session.view_state import (
    GROUP_COUNT,
    LOD_COUNT,
    Background,
    Cell,
    Overlay,
    Shading,
    toggle_overlay,
    with_cell,
)
from viewer.ui.context import UiContext, ViewChange
from viewer.ui.frame.actions import shading_title
from viewer.ui.requests import FrameAll, FrameSelection
from viewer.ui.viewport.cell_picker import CellPicker
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import counted, short_count
from viewer.ui.widgets.widgets import icon_button, text, tooltip

_OVERLAYS: Final = {
    Overlay.GRID: (fa.ICON_FA_BORDER_ALL, "Grid\nG"),
    Overlay.AXES: (fa.ICON_FA_ARROWS_UP_DOWN_LEFT_RIGHT, "World axes\nX"),
    Overlay.NODE_AXES: (fa.ICON_FA_LOCATION_CROSSHAIRS, "Node axes\nShift+X"),
    Overlay.BONES: (fa.ICON_FA_BONE, "Bones: node to parent\nO"),
    Overlay.SLOT_BOUNDS: (fa.ICON_FA_VECTOR_SQUARE, "Slot boxes and spheres\nB"),
    Overlay.HEADER_BOUNDS: (fa.ICON_FA_CUBE, "Header hull, sphere, capsule\nShift+B"),
    Overlay.EDGES: (fa.ICON_FA_DRAW_POLYGON, "Edges\nE"),
    Overlay.NORMALS: (fa.ICON_FA_ARROW_UP_FROM_BRACKET, "Vertex normals\nN"),
}
_BACKGROUNDS: Final = {
    Background.DARK: fa.ICON_FA_MOON,
    Background.LIGHT: fa.ICON_FA_SUN,
    Background.TRANSPARENT: fa.ICON_FA_CHESS_BOARD,
}
_LOD_HINT: Final = "LOD, or in the field notes' reading the damage state\nKeys [ and ]"
_GROUP_HINT: Final = (
    "Group, or in the field notes' reading the level of detail (4: a hull)\nKeys Shift+[ and Shift+]"
)
SHADING_ROOM: Final = 9.8
"""Width in font heights of the longest way of shading."""
_ROOM_FOR_COUNTS: Final = 76.0
"""Width in font heights from which triangle counts stand beside the numbers."""


def draw_toolbar(frame: UiContext, cells: CellPicker) -> None:
    """Draw the bar; its window is already begun."""
    has_counts = imgui.get_content_region_avail().x > theme.em(_ROOM_FOR_COUNTS)
    view, document = frame.view, frame.document
    _caption("LOD", _LOD_HINT)
    for lod in range(LOD_COUNT):
        _cell_button(frame, document, (lod, view.group), f"lod{lod}", lod, has_counts=has_counts)
    _gap()
    _caption("Group", _GROUP_HINT)
    for group in range(GROUP_COUNT):
        _cell_button(frame, document, (view.lod, group), f"group{group}", group, has_counts=has_counts)
    cells.draw(frame)
    _gap()
    _draw_shading(frame)
    _gap()
    _draw_overlays(frame)
    _gap()
    _draw_background(frame)
    _gap()
    _draw_framing(frame)


def _cell_button(
    frame: UiContext, document: Document | None, cell: Cell, name: str, number: int, *, has_counts: bool
) -> None:
    """Draw the button of a LOD or group; it can be pressed even where nothing is there, but looks it."""
    count = 0 if document is None else int(document.triangle_counts[cell])
    shown = short_count(count) if count else "-"
    label = f"{number}   {shown}" if has_counts else str(number)
    imgui.push_style_color(imgui.Col_.text, theme.TEXT if count else theme.FAINT)
    is_on = cell == (frame.view.lod, frame.view.group)
    if is_on:
        imgui.push_style_color(imgui.Col_.button, imgui.get_style().color_(imgui.Col_.header))
    width = theme.em(3.9 if has_counts else 1.9)
    if imgui.button(f"{label}###{name}", ImVec2(width, 0)):
        frame.change(lambda view: with_cell(view, *cell))
    imgui.pop_style_color(1 + is_on)
    amount = counted(count, "triangle") if count else "no geometry"
    tooltip([f"LOD {cell[0]}, group {cell[1]}", amount])
    imgui.same_line(0, theme.em(0.15))


def _caption(words: str, hint: str) -> None:
    imgui.align_text_to_frame_padding()
    text(words, theme.DIM)
    tooltip(hint.split("\n"))
    imgui.same_line(0, theme.em(0.4))


def _gap() -> None:
    imgui.same_line(0, theme.em(1.1))


def _draw_shading(frame: UiContext) -> None:
    imgui.set_next_item_width(theme.em(SHADING_ROOM))
    flags = imgui.ComboFlags_.height_largest
    if imgui.begin_combo("##shading", shading_title(frame.view.shading), flags):
        for mode in Shading:
            if imgui.selectable(shading_title(mode), mode is frame.view.shading)[0]:
                frame.change(_shaded(mode))
        imgui.end_combo()
    tooltip(["Shading", "M: next, Shift+M: previous"])


def _shaded(mode: Shading) -> ViewChange:
    return lambda view: replace(view, shading=mode)


def _toggled(overlay: Overlay) -> ViewChange:
    return lambda view: toggle_overlay(view, overlay)


def _draw_overlays(frame: UiContext) -> None:
    for overlay, (icon, hint) in _OVERLAYS.items():
        if icon_button(icon, overlay.value, hint, is_on=overlay in frame.view.overlays):
            frame.change(_toggled(overlay))
        imgui.same_line(0, theme.em(0.15))


def _draw_background(frame: UiContext) -> None:
    modes = list(Background)
    now = frame.view.background
    following = modes[(modes.index(now) + 1) % len(modes)]
    if icon_button(_BACKGROUNDS[now], "background", f"Background: {now}\nA click changes to {following}"):
        frame.change(lambda view: replace(view, background=following))


def _draw_framing(frame: UiContext) -> None:
    has_document = frame.document is not None
    if icon_button(fa.ICON_FA_EXPAND, "frame all", "Frame all\nHome", is_enabled=has_document):
        frame.request(FrameAll())
    imgui.same_line(0, theme.em(0.15))
    has_nodes = bool(frame.view.selection.nodes)
    if icon_button(fa.ICON_FA_CROSSHAIRS, "frame selection", "Frame selection\nF", is_enabled=has_nodes):
        frame.request(FrameSelection())
