"""Sections of a file in the Inspector: nodes of 24 bytes, and what the engine would hold in memory."""

from __future__ import annotations

from functools import partial
from typing import Final

from imgui_bundle import imgui

from viewer.formats.msh.nodes import LEGACY_NODE, LEGACY_SIZE
from viewer.formats.msh.slots import HEADER, SLOT
from viewer.formats.record import Status
from viewer.model.mesh.engine_model import SIZE, EngineField
from viewer.model.store.place import Place
from viewer.translation import _, count_text
from viewer.ui.fields.field_view import certainty
from viewer.ui.inspector.sheet import TABLE, Sheet
from viewer.ui.widgets import theme
from viewer.ui.widgets.table_grid import table_rows
from viewer.ui.widgets.widgets import copy_menu, identified, labeled, section, text, tooltip, wrapped

_FIT: Final = int(TABLE) | int(imgui.TableFlags_.sizing_fixed_fit)
_MOST_NODES: Final = 24
"""Nodes of 24 bytes that are listed."""


def draw_legacy_nodes(sheet: Sheet) -> None:
    """Draw every node of a legacy model, word by word."""
    nodes = sheet.document.model.legacy_nodes
    if not len(nodes) or not section(labeled(_("Nodes of {size} bytes", size=LEGACY_SIZE), "legacy_nodes")):
        return
    wrapped(_("What their words mean is unknown: all batches are drawn, without a hierarchy."), theme.DIM)
    for row in range(min(len(nodes), _MOST_NODES)):
        with identified(row):
            text(_("Node {row}", row=row), theme.DIM)
            sheet.record(LEGACY_NODE, nodes, row)
    if len(nodes) > _MOST_NODES:
        text(_("and {count} more", count=len(nodes) - _MOST_NODES), theme.DIM)


def draw_engine(sheet: Sheet) -> None:
    """Draw the fields of the engine's structure: a link to each table, and to its bytes."""
    document = sheet.document
    title = labeled(_("In the engine's memory"), "engine")
    if document.is_terrain or not section(title, is_open_at_first=False):
        return
    words = _("The {size} bytes that the engine fills when it loads the model. They are not in the file.")
    wrapped(words.format(size=f"0x{SIZE:X}"), theme.DIM)
    columns = dict.fromkeys((_("offset"), _("name"), _("value"), _("rows x stride")), 0.0)
    fields = sheet.tools.engine.of(sheet.made_of, document.model)
    for field in table_rows("##engine", columns, fields, _FIT, has_headers=True):
        with identified(field.offset):
            _draw_field(sheet, field)


def _draw_field(sheet: Sheet, field: EngineField) -> None:
    is_unknown = field.status is Status.OPEN
    text(f"0x{field.offset:02X}", theme.DIM)
    imgui.table_next_column()
    table = field.table
    if table == SLOT.name and not field.stride:
        table = HEADER.name
    place = Place(sheet.document.address, table)
    if field.at is not None and sheet.links.reaches(place):
        sheet.links.draw(labeled(field.name, "to_table"), place)
    else:
        text(field.name, theme.DIM if is_unknown else theme.TEXT)
    tooltip(partial(_hints, field))
    copy_menu("copy_name", field.name)
    imgui.table_next_column()
    if field.at is None:
        text("?" if field.value is None else f"{field.value}", theme.DIM)
    else:
        if imgui.text_link(labeled(f"0x{field.at:X}", "to_bytes")):
            sheet.frame.later(sheet.frame.control.panels.show_bytes, place)
        tooltip(_("Offset in the payload of the model; a click shows the bytes"))
        copy_menu("copy_at", f"0x{field.at:X}")
    imgui.table_next_column()
    if field.stride is not None:
        text(f"{count_text(field.count or 0)} x {field.stride}", theme.DIM)


def _hints(field: EngineField) -> list[str]:
    what = "u32" if field.at is None and field.size == 4 else f"byte[{field.size}]"
    kind = _("pointer") if field.at is not None else what
    return [f"+0x{field.offset:02X} {field.name}: {kind}", field.doc, certainty(field.status)]
