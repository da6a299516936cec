"""The section of a node: its record, its slots by LOD and group, which can be set, its keys, its pose."""

from __future__ import annotations

from typing import Final

from imgui_bundle import imgui

from viewer.formats.msh.keys import KEY
from viewer.formats.msh.nodes import GROUPS, LODS, NODE, NONE
from viewer.formats.msh.slots import SLOT
from viewer.formats.neighbors.control import CHANNEL
from viewer.model.edit.nodes.node_count import SetCell
from viewer.model.mesh.animation import NO_KEY
from viewer.model.mesh.shown import Cell
from viewer.model.store.place import Place
from viewer.session.edits.row_commands import node_choice
from viewer.session.view.view_state import with_cell, with_override
from viewer.translation import _
from viewer.ui.context import ViewChange
from viewer.ui.fields.field_view import draw_facts
from viewer.ui.fields.resource_links import draw_link
from viewer.ui.inspector.key_section import draw_rotation
from viewer.ui.inspector.sheet import TABLE, Sheet
from viewer.ui.timeline.play_list import purpose
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import cell_name, counted, group_name, lod_name, numbers_text
from viewer.ui.widgets.widgets import labeled, text, tooltip, wrapped

MOST_CHANNELS: Final = 8
"""Channels of a node that are shown."""


def draw_node(sheet: Sheet, node: int) -> None:
    """Draw everything about a node."""
    document, pose = sheet.document, sheet.frame.state.pose
    if not document.names[node]:
        text(_("no name"), theme.DIM)
    if document.takes[node]:
        draw_facts("takes", {"takes": document.takes[node]})
    if len(document.model.nodes):
        edited = tuple(it for it in sheet.selection.nodes if it < len(document.model.nodes))
        sheet.record(NODE, document.model.nodes, node, skip=("slots",), edited=edited)
        _draw_cells(sheet, node)
        _draw_override(sheet, node)
        keys = [(sheet.place(KEY.name, key), f"{key}") for key in document.animation.track(node)]
        sheet.places("track", _("keys"), keys)
    _draw_channels(sheet, node)
    if pose is not None and node < len(pose.world):
        key = int(pose.sample.key[node])
        current = [] if key == NO_KEY else [(sheet.place(KEY.name, key), f"{key}")]
        sheet.places("current", _("current key"), current)
        if current:
            draw_rotation(sheet, key)
        draw_facts(
            "pose",
            {
                _("interpolated"): _("yes") if pose.sample.is_interpolated[node] else _("no"),
                _("position"): numbers_text(pose.position[node]),
                _("rotation w x y z"): numbers_text(pose.quaternion[node]),
                _("world position"): numbers_text(pose.world[node, :3, 3]),
            },
        )


def _draw_channels(sheet: Sheet, node: int) -> None:
    """Draw links to the channels of the controller that drive the node."""
    controller = sheet.document.controller
    channels = [it for it in controller.channels if it.node == node]
    if not channels or controller.address is None:
        return
    text(_("driven by"), theme.DIM)
    for channel in channels[:MOST_CHANNELS]:
        imgui.same_line()
        guess = purpose(channel, sheet.document.label(node))
        words = _("channel {index}").format(index=channel.index)
        words = _("{channel}, {guess} (guess)").format(channel=words, guess=guess) if guess else words
        place = Place(controller.address, CHANNEL.name, channel.index)
        draw_link(sheet.frame, f"channel{channel.index}", words, place)


def _draw_cells(sheet: Sheet, node: int) -> None:
    """The slot matrix: LODs down, groups across; the cell that is shown is marked and named."""
    text(_("slots"), theme.DIM)
    imgui.same_line()
    text(_("LOD down, group across"), theme.FAINT)
    if not imgui.begin_table("##cells", GROUPS + 1, TABLE | imgui.TableFlags_.sizing_stretch_same):
        return
    imgui.table_next_row()
    imgui.table_next_column()
    for group in range(GROUPS):
        imgui.table_next_column()
        text(str(group), theme.DIM)
        tooltip(group_name(sheet.document, group))
    shown = sheet.document.shown_cell(node, sheet.frame.view)
    for lod in range(LODS):
        imgui.table_next_row()
        imgui.table_next_column()
        text(str(lod), theme.DIM)
        tooltip(lod_name(sheet.document, lod))
        for group in range(GROUPS):
            imgui.table_next_column()
            _draw_cell(sheet, node, (lod, group), is_shown=shown == (lod, group))
    imgui.end_table()
    if shown is not None:
        wrapped(_("shown: {cell}").format(cell=cell_name(sheet.document, *shown)), theme.DIM)


def _draw_cell(sheet: Sheet, node: int, cell: Cell, *, is_shown: bool) -> None:
    slot = int(sheet.document.model.nodes["slots"][(node, *cell)])
    if is_shown:
        imgui.table_set_bg_color(imgui.TableBgTarget_.cell_bg, theme.packed(theme.ACCENT, 0.25))
    if slot == NONE:
        text("-", theme.FAINT)
        tooltip(
            [
                cell_name(sheet.document, *cell),
                _("none ({value})").format(value="0xFFFF"),
                _("Right click: another slot"),
            ]
        )
        draw_cell_menu(sheet, node, cell, slot)
        return
    if imgui.text_link(f"{slot}##cell{cell[0]}{cell[1]}"):
        sheet.links.follow(sheet.place(SLOT.name, slot))
        is_alone = imgui.get_io().key_shift
        sheet.frame.change(_showing(node if is_alone else None, cell))
    words = _("slot {slot}: show {cell}").format(slot=slot, cell=cell_name(sheet.document, *cell))
    tooltip([words, _("Shift: for this node only"), _("Right click: another slot")])
    draw_cell_menu(sheet, node, cell, slot)


def _showing(node: int | None, cell: Cell) -> ViewChange:
    """Show a cell, for one node only if one is given."""
    if node is None:
        return lambda view: with_cell(view, *cell)
    return lambda view: with_override(view, node, cell)


def _draw_override(sheet: Sheet, node: int) -> None:
    """Draw the cell override of a node, and a button to clear it."""
    cell = sheet.frame.view.overrides.get(node)
    if cell is None:
        return
    text(_("override: {cell}").format(cell=cell_name(sheet.document, *cell)), theme.SELECTION)
    imgui.same_line()
    if imgui.small_button(labeled(_("Clear override"), "clear_override")):
        sheet.frame.change(lambda view: with_override(view, node, None))


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
