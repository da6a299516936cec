"""The section of a node: its record, its slots by LOD and group, its keys, its pose."""

from __future__ import annotations

from imgui_bundle import imgui

from viewer.formats.msh.keys import KEY
from viewer.formats.msh.nodes import GROUPS, LODS, NODE, NONE
from viewer.formats.msh.slots import SLOT
from viewer.model.mesh.animation import NO_KEY
from viewer.model.store.place import Place
from viewer.session.view.view_state import with_cell, with_override
from viewer.translation import _
from viewer.ui.context import ViewChange
from viewer.ui.fields.field_view import draw_facts
from viewer.ui.inspector.sheet import TABLE, Sheet
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import numbers_text
from viewer.ui.widgets.widgets import labeled, text, tooltip


def draw_node(sheet: Sheet, node: int) -> None:
    """Draw everything about a node."""
    document, pose = sheet.document, sheet.frame.pose
    if not document.names[node]:
        text(_("no name"), theme.DIM)
    if document.takes[node]:
        draw_facts("takes", {"takes": document.takes[node]})
    if len(document.model.nodes):
        sheet.record(NODE, document.model.nodes, node, skip=("slots",))
        _draw_cells(sheet, node)
        _draw_override(sheet, node)
        sheet.places("track", _("keys"), _track(sheet, node))
    if pose is not None and node < len(pose.world):
        key = int(pose.sample.key[node])
        current = [] if key == NO_KEY else [(sheet.place(KEY.name, key), f"{key}")]
        sheet.places("current", _("current key"), current)
        draw_facts(
            "pose",
            {
                _("interpolated"): _("yes") if pose.sample.is_interpolated[node] else _("no"),
                _("position"): numbers_text(pose.position[node]),
                _("rotation w x y z"): numbers_text(pose.quaternion[node]),
                _("world position"): numbers_text(pose.world[node, :3, 3]),
            },
        )


def _track(sheet: Sheet, node: int) -> list[tuple[Place, str]]:
    """Places of the node's keys, and their numbers."""
    return [(sheet.place(KEY.name, key), f"{key}") for key in sheet.document.animation.track(node)]


def _draw_cells(sheet: Sheet, node: int) -> None:
    """The slot matrix: rows are LODs, columns groups; the cell that is shown is marked."""
    text(_("slots"), theme.DIM)
    imgui.same_line()
    text(_("LOD down, group across"), theme.FAINT)
    tooltip(_("In the field notes: damage state down, level of detail across, column 4 is a hull."))
    if not imgui.begin_table("##cells", GROUPS + 1, TABLE | imgui.TableFlags_.sizing_stretch_same):
        return
    imgui.table_next_row()
    imgui.table_next_column()
    for group in range(GROUPS):
        imgui.table_next_column()
        text(str(group), theme.DIM)
    for lod in range(LODS):
        imgui.table_next_row()
        imgui.table_next_column()
        text(str(lod), theme.DIM)
        for group in range(GROUPS):
            imgui.table_next_column()
            _draw_cell(sheet, node, lod, group)
    imgui.end_table()


def _draw_cell(sheet: Sheet, node: int, lod: int, group: int) -> None:
    slot = int(sheet.document.model.nodes["slots"][node, lod, group])
    if sheet.frame.view.cell(node) == (lod, group):
        imgui.table_set_bg_color(imgui.TableBgTarget_.cell_bg, theme.packed(theme.ACCENT, 0.25))
    if slot == NONE:
        text("-", theme.FAINT)
        tooltip(_("none ({value})").format(value="0xFFFF"))
        return
    if imgui.text_link(f"{slot}##cell{lod}{group}"):
        sheet.links.follow(sheet.place(SLOT.name, slot))
        is_alone = imgui.get_io().key_shift
        sheet.frame.change(_showing(node if is_alone else None, lod, group))
    words = _("slot {slot}: show LOD {lod}, group {group}").format(slot=slot, lod=lod, group=group)
    tooltip([words, _("Shift: for this node only")])


def _showing(node: int | None, lod: int, group: int) -> ViewChange:
    """Show a cell, for one node only if one is given."""
    if node is None:
        return lambda view: with_cell(view, lod, group)
    return lambda view: with_override(view, node, (lod, group))


def _draw_override(sheet: Sheet, node: int) -> None:
    """Draw the cell override of a node, and a button to clear it."""
    cell = sheet.frame.view.overrides.get(node)
    if cell is None:
        return
    words = _("override: LOD {lod}, group {group}").format(lod=cell[0], group=cell[1])
    text(words, theme.SELECTION)
    imgui.same_line()
    if imgui.small_button(labeled(_("Clear override"), "clear_override")):
        sheet.frame.change(lambda view: with_override(view, node, None))
