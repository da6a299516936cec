"""The slot matrix as a popup (L): 15 cells with their triangle counts; a click shows a cell."""

from __future__ import annotations

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.model.mesh.shown import Cell
from viewer.session.opened.document import Document
from viewer.session.view.view_state import GROUP_COUNT, LOD_COUNT, with_cell
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import GROUP_HINT, LOD_HINT, cell_hint, group_name, lod_name, short_count
from viewer.ui.widgets.widgets import colored, icon_button, labeled, text, tooltip

_NAME = "cells"
_CELL_WIDTH = 8.0
"""In font heights."""


class CellPicker:
    """A button in the toolbar and the popup that it opens; owner: the shell."""

    def __init__(self) -> None:
        self._is_requested = False

    def ask(self) -> None:
        """Open the popup in the next frame."""
        self._is_requested = True

    def draw(self, frame: UiContext) -> None:
        """Draw the button, and the popup if it is open."""
        is_pressed = icon_button(
            fa.ICON_FA_TABLE_CELLS,
            "cells",
            _("Choose LOD and group") + "\nL",
            is_enabled=frame.document is not None,
        )
        if is_pressed or self._is_requested:
            self._is_requested = False
            imgui.open_popup(_NAME)
        below = ImVec2(imgui.get_item_rect_min().x, imgui.get_item_rect_max().y + theme.em(0.3))
        imgui.set_next_window_pos(below, imgui.Cond_.appearing)
        if not imgui.begin_popup(_NAME):
            return
        if frame.document is not None:
            text(_("LOD down, group across"), theme.DIM)
            tooltip([str(LOD_HINT), str(GROUP_HINT)])
            _draw_matrix(frame, frame.document)
        imgui.end_popup()


def _draw_matrix(frame: UiContext, document: Document) -> None:
    if not imgui.begin_table("##matrix", GROUP_COUNT + 1, imgui.TableFlags_.sizing_fixed_fit):
        return
    imgui.table_next_column()
    for group in range(GROUP_COUNT):
        imgui.table_next_column()
        text(group_name(document, group), theme.DIM)
    for lod in range(LOD_COUNT):
        imgui.table_next_column()
        imgui.align_text_to_frame_padding()
        text(lod_name(document, lod), theme.DIM)
        for group in range(GROUP_COUNT):
            imgui.table_next_column()
            _draw_cell(frame, document, (lod, group))
    imgui.end_table()


def _draw_cell(frame: UiContext, document: Document, cell: Cell) -> None:
    choice = frame.view.parts
    count, is_own = int(document.chooser.triangle_counts(choice)[cell]), bool(document.triangle_counts[cell])
    is_shown = cell == (choice.lod, choice.group)
    if is_shown:
        imgui.push_style_color(imgui.Col_.button, imgui.get_style().color_(imgui.Col_.header))
    with colored(theme.TEXT if is_own else theme.FAINT):
        words = short_count(count) if count else "-"
        if imgui.button(labeled(words, "cell{}{}".format(*cell)), ImVec2(theme.em(_CELL_WIDTH), 0)):
            frame.change(lambda view: with_cell(view, *cell))
            imgui.close_current_popup()
    tooltip(cell_hint(document, cell, count, is_own=is_own))
    if is_shown:
        imgui.pop_style_color()
