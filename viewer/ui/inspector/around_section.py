"""The sections of what is around a model: a control point, a place or link of the path graph, damage."""

from __future__ import annotations

from functools import partial

import numpy as np
from imgui_bundle import imgui

from viewer.formats.msh.path_graph import LIGHT_PROBE, PATH_LINK, PATH_NODE
from viewer.model.edit.values import RowChoice
from viewer.model.mesh.damage_stages import stages
from viewer.model.tables.neighbors import CONTROL_POINTS, DAMAGE, GROUND_POINTS, NeighborRows
from viewer.session.opened.surroundings import SELECTED
from viewer.translation import _
from viewer.ui.fields.field_view import RecordEditing, draw_record
from viewer.ui.fields.resource_links import draw_link
from viewer.ui.inspector.sheet import InspectedRow, Sheet, choices_in
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import text, wrapped

_TITLES = {
    CONTROL_POINTS: _("Control point {row}"),
    PATH_NODE.name: _("Path node {row}"),
    PATH_LINK.name: _("Path link {row}"),
    LIGHT_PROBE.name: _("Light probe {row}"),
    GROUND_POINTS: _("Ground plan: point {row}"),
}


def sections(sheet: Sheet) -> tuple[InspectedRow, ...]:
    """The section of the selected row of each table."""
    chosen = {table: getattr(sheet.selection, name) for table, name in SELECTED.items()}
    found = chosen.items()
    return tuple(InspectedRow(SELECTED[it], _TITLES[it], it, row, partial(_draw, it)) for it, row in found)


def damage_section(sheet: Sheet) -> InspectedRow:
    """The section of the damage of the selected node."""
    node, table = sheet.selection.node, DAMAGE
    is_there = node is not None and node < sheet.document.row_count(table)
    row = node if is_there else None
    return InspectedRow("damage", _("Damage of node {row}"), table, row, partial(_draw, table))


def _draw(name: str, sheet: Sheet, row: int) -> None:
    """Draw a row; that of a neighbor with its name and the link to it there."""
    table = sheet.document.table(name)
    if table is None or table.record is None or not isinstance(table.rows, np.ndarray):
        return
    if not isinstance(table, NeighborRows) or row >= len(table.rows):
        sheet.record(table.record, table.rows, row)
        return
    place = table.place(row)
    if row < len(table.labels):
        text(table.labels[row])
    if name == DAMAGE:
        _draw_stages(sheet, table.rows[row], row)
    choices, rows = partial(choices_in, sheet.document), RowChoice.of(place.row or 0)
    editing = RecordEditing(sheet.frame, sheet.tools.editor, place.address, place.table, rows, choices)
    draw_record(table.record, table.rows[row], sheet.document.choice.reading, sheet.links, editing=editing)
    text(_("in"), theme.DIM)
    imgui.same_line()
    draw_link(sheet.frame, "neighbor", f"{place.address.name}: {place.in_file}", place)


def _draw_stages(sheet: Sheet, damage: np.void, node: int) -> None:
    """Draw at which hit points a node shows which row of its slots."""
    nodes, lods = sheet.document.model.nodes, sheet.document.chooser.lods
    if node < min(len(nodes), len(lods)):
        for words in stages(int(lods[node]), float(damage["hit_points"]), int(nodes["flags"][node])):
            wrapped(words, theme.DIM)
