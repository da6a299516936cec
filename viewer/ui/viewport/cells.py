"""Cells panel: what each cell of the slot matrix shows, as fifteen pictures to choose from."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from imgui_bundle import ImVec2, imgui
from msgspec.structs import replace

from viewer.model.mesh.shown import Cell
from viewer.session.field_text import cell_hint, counted, lod_name, names_of, short_count
from viewer.session.opened.document import Document
from viewer.session.view import coloring
from viewer.session.view.cell_sheet import CellCounts, CellSheet, SheetLook, toggle_laid_over
from viewer.session.view.view_state import (
    GROUP_COUNT,
    LOD_COUNT,
    ViewState,
    with_cell,
    with_override,
)
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.display.option_controls import draw_option
from viewer.ui.widgets import theme
from viewer.ui.widgets.controls import row_label
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import cut, empty, labeled, text, tooltip, wrapped

LEAST: Final = 3.5
"""Least side of a picture, font heights."""
STEP: Final = 8
"""Pixels by which pictures grow, so that few sizes are drawn while a panel is dragged."""
_ASPECT: Final = 1.3
"""Height of a picture by its width."""
_HATCH: Final = 0.45
"""Distance of the lines of an empty cell, font heights."""
_DIMMED: Final = 0.35
"""Opacity of a picture of what an empty cell shows instead."""


class CellsPanel:
    """The contact sheet of the model, or of the selected nodes."""

    id = "cells"
    title = _("Cells")

    def __init__(self) -> None:
        self._is_of_selection = False

    def draw(self, frame: UiContext) -> None:
        """Draw what the pictures are of, then the pictures."""
        document = frame.document
        if document is None:
            empty(_("The cells of the open model appear here."))
            return
        row_label(_("cells"))
        draw_option(frame, "drawn.cells")
        row_label(_("of"))
        nodes = self._draw_nodes(frame, document)
        _draw_laid_over(frame)
        width = (imgui.get_content_region_avail().x - (GROUP_COUNT - 1) * _gap()) / GROUP_COUNT
        scale = imgui.get_io().display_framebuffer_scale.x or 1.0
        # In steps, as another size means another sheet: dragging the edge of the panel would draw one each
        # frame.
        pixels = max(int(max(width, theme.em(LEAST)) * scale) // STEP * STEP, STEP)
        size = pixels, int(pixels * _ASPECT)
        shown = frame.lookups.cells(SheetLook.of(document, frame.view, nodes, size))
        _Pictures(frame, document, nodes, shown, ImVec2(size[0] / scale, size[1] / scale)).draw()

    def _draw_nodes(self, frame: UiContext, document: Document) -> frozenset[int] | None:
        """Draw the choice between the model and the selected nodes; return these, None for all."""
        selected = frozenset(frame.view.selection.nodes)
        is_some = self._is_of_selection and bool(selected)
        if imgui.radio_button(labeled(_("Model"), "of_model"), not is_some):
            self._is_of_selection = False
        imgui.same_line()
        imgui.begin_disabled(not selected)
        one = len(selected) == 1
        words = document.label(min(selected)) if one else _("Selected nodes")
        if imgui.radio_button(labeled(words, "of_nodes"), is_some):
            self._is_of_selection = True
        imgui.end_disabled()
        tooltip(_("The selected nodes alone; a click then shows the cell for them only"))
        return selected if is_some else None


class _Pictures:
    """The pictures in one frame."""

    def __init__(
        self,
        frame: UiContext,
        document: Document,
        nodes: frozenset[int] | None,
        sheet: CellSheet | None,
        side: ImVec2,
    ) -> None:
        self._frame, self._document, self._nodes = frame, document, nodes
        self._sheet, self._side = sheet, side
        self._counts = CellCounts.of(document, frame.view, nodes)
        self._shown = _shown_cell(document, frame.view, nodes)

    def draw(self) -> None:
        """Draw the names of the groups, then each LOD with its pictures."""
        left = imgui.get_cursor_pos_x()
        self._draw_groups(left)
        for lod in range(LOD_COUNT):
            text(lod_name(self._document, lod), theme.DIM)
            for group in range(GROUP_COUNT):
                imgui.same_line(left + group * (self._side.x + _gap())) if group else None
                self._draw_cell((lod, group))
        wrapped(_("Click: show the cell. Shift+click: lay it over what is shown."), theme.FAINT)

    def _draw_groups(self, left: float) -> None:
        names = names_of(self._document)
        for meaning in (False, True):
            for group in range(GROUP_COUNT):
                words = str(_("group {group}", group=group))
                if meaning:
                    words = translated(names.groups[group]) if group < len(names.groups) else ""
                imgui.same_line(left + group * (self._side.x + _gap())) if group else None
                cut(words, theme.TEXT if meaning else theme.DIM, self._side.x)
                tooltip(words)

    def _draw_cell(self, cell: Cell) -> None:
        if imgui.invisible_button("cell{}{}".format(*cell), self._side):
            self._choose(cell)
        is_hovered = imgui.is_item_hovered()
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        painter = imgui.get_window_draw_list()
        own, count = int(self._counts.own[cell]), int(self._counts.shown[cell])
        painter.add_rect_filled(low, high, theme.packed(theme.BACKDROP))
        if self._sheet is not None and count:
            self._draw_picture(painter, self._sheet.texture, cell, low, high, 1.0 if own else _DIMMED)
        if not own:
            _hatch(painter, low, high)
        self._draw_count(painter, low, high, own, count)
        share = self._share(cell)
        if share is not None:
            _draw_corner(painter, low, _("{share} drawn", share=f"{share:.0%}"), theme.WARNING)
        color = self._border(cell, is_hovered=is_hovered)
        if color is not None:
            painter.add_rect(low, high, theme.packed(color), thickness=max(2.0, theme.em(0.14)))
        tooltip(lambda: [*cell_hint(self._document, cell, count, is_own=bool(own)), *_hints(own, share)])

    def _share(self, cell: Cell) -> float | None:
        """The share that is drawn of a picture that is not whole."""
        number = cell[0] * GROUP_COUNT + cell[1]
        return None if self._sheet is None else self._sheet.unfinished.get(number)

    def _choose(self, cell: Cell) -> None:
        if imgui.get_io().key_shift:
            self._frame.change(partial(toggle_laid_over, cell=cell))
        elif self._nodes is None:
            self._frame.change(lambda view: with_cell(view, *cell))
        else:
            nodes = self._nodes
            self._frame.change(lambda view: _overridden(view, nodes, cell))

    def _draw_picture(
        self, painter: imgui.ImDrawList, name: int, cell: Cell, low: ImVec2, high: ImVec2, opacity: float
    ) -> None:
        lod, group = cell
        # The lowest row of the texture comes first.
        first = ImVec2(group / GROUP_COUNT, 1 - lod / LOD_COUNT)
        last = ImVec2((group + 1) / GROUP_COUNT, 1 - (lod + 1) / LOD_COUNT)
        tint = theme.exact((1.0, 1.0, 1.0, opacity))
        painter.add_image(imgui.ImTextureRef(name), low, high, first, last, tint)

    def _draw_count(self, painter: imgui.ImDrawList, low: ImVec2, high: ImVec2, own: int, count: int) -> None:
        """Write the triangles that a cell shows into its lower corner, in brackets if none are its own."""
        words = short_count(count) if own else f"({short_count(count)})" if count else "-"
        corner = ImVec2(low.x, high.y - imgui.get_text_line_height())
        _draw_corner(painter, corner, words, theme.TEXT if own else theme.DIM)

    def _border(self, cell: Cell, *, is_hovered: bool) -> Color | None:
        if cell == self._shown:
            return theme.SELECTION
        if cell in self._frame.view.laid_over:
            return (*coloring.color(cell[0] * GROUP_COUNT + cell[1]), 1.0)
        return theme.ACCENT if is_hovered else None


def _gap() -> float:
    return theme.em(0.3)


def _draw_corner(painter: imgui.ImDrawList, corner: ImVec2, words: str, color: Color) -> None:
    """Write a text on a dark ground; `corner` is its upper left."""
    margin, height = theme.em(0.25), imgui.get_text_line_height()
    end = ImVec2(corner.x + imgui.calc_text_size(words).x + 2 * margin, corner.y + height)
    painter.add_rect_filled(corner, end, theme.packed(theme.BACKDROP))
    painter.add_text(ImVec2(corner.x + margin, corner.y), theme.packed(color), words)


def _hints(own: int, share: float | None) -> Iterator[str]:
    if own:
        yield counted(own, "{count} triangle of its own", "{count} triangles of its own")
    if share is not None:
        yield _("Drawing takes long: {share} of this picture is drawn so far.", share=f"{share:.0%}")


def _hatch(painter: imgui.ImDrawList, low: ImVec2, high: ImVec2) -> None:
    """Hatch a rectangle from the lower left to the upper right."""
    step, height = theme.em(_HATCH), high.y - low.y
    color = theme.packed(theme.FAINT, 0.55)
    painter.push_clip_rect(low, high, intersect_with_current_clip_rect=True)
    for number in range(int((high.x - low.x + height) / step) + 1):
        x = low.x + number * step
        painter.add_line(ImVec2(x, low.y), ImVec2(x - height, high.y), color)
    painter.pop_clip_rect()


def _shown_cell(document: Document, view: ViewState, nodes: frozenset[int] | None) -> Cell | None:
    """Return the cell that a view shows of the model, or of the first of some nodes."""
    if nodes is not None:
        return document.shown_cell(min(nodes), view)
    choice = view.parts
    return None if choice.is_destroyed else (choice.lod, choice.group)


def _overridden(view: ViewState, nodes: frozenset[int], cell: Cell) -> ViewState:
    for node in nodes:
        view = with_override(view, node, cell)
    return view


def _draw_laid_over(frame: UiContext) -> None:
    """Draw what is laid over, and the button that takes it away."""
    laid = sorted(frame.view.laid_over)
    if not laid:
        return
    row_label(_("laid over"))
    if imgui.small_button(labeled(_("None"), "lay_nothing_over")):
        frame.change(lambda view: replace(view, laid_over=frozenset()))
    for lod, group in laid:
        imgui.same_line()
        color = coloring.color(lod * GROUP_COUNT + group)
        text(_("LOD {lod}, group {group}", lod=lod, group=group), (*color, 1.0))
