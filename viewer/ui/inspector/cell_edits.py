"""The context menu of a cell of the slot matrix: another slot, or none."""

from __future__ import annotations

from typing import Final

from imgui_bundle import imgui

from viewer.formats.msh.nodes import NONE
from viewer.model.edit.nodes.set_cell import SetCell
from viewer.model.mesh.part_choice import Cell
from viewer.session.edits.naming import node_choice
from viewer.translation import _
from viewer.ui.inspector.sheet import Sheet
from viewer.ui.widgets import theme
from viewer.ui.widgets.cell_text import cell_name
from viewer.ui.widgets.field_text import counted
from viewer.ui.widgets.widgets import labeled, text

FIELD: Final = 6.0
"""Width of the number of the slot, font heights."""


def draw_cell_menu(sheet: Sheet, node: int, cell: Cell, slot: int) -> None:
    """Draw the menu of the cell just drawn, which shows `slot`, or `NONE`."""
    if not imgui.begin_popup_context_item(f"cell_menu{cell[0]}{cell[1]}"):
        return
    imgui.separator_text(cell_name(sheet.document, *cell))
    imgui.set_next_item_width(theme.em(FIELD))
    flags = imgui.InputTextFlags_.enter_returns_true
    shown = 0 if slot == NONE else slot
    is_entered, number = imgui.input_int(labeled(_("slot"), "slot"), shown, 0, 0, flags)
    text(counted(len(sheet.document.model.slots), "{count} slot", "{count} slots"), theme.DIM)
    wanted: int | None = slot
    if is_entered:
        wanted = number
    if imgui.menu_item_simple(labeled(_("Show nothing"), "show_nothing"), enabled=slot != NONE):
        wanted = None
    if is_entered or wanted is None:
        imgui.close_current_popup()
        change = SetCell(node_choice(sheet.document.names, node), *cell, wanted)
        sheet.frame.commands.edits.edit(sheet.document.address, (change,))
    imgui.end_popup()
