"""What the Inspector shows of a file in which nothing is selected."""

from __future__ import annotations

from typing import Final

from imgui_bundle import imgui

from viewer.formats.msh.slots import HEADER
from viewer.formats.msh.tables import TABLES
from viewer.model.mesh.model import Variant
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.session.opened.document import Document
from viewer.translation import Message, _, translated
from viewer.ui.fields.field_view import draw_facts, draw_record
from viewer.ui.fields.resource_links import draw_link
from viewer.ui.fields.user_list import draw_users
from viewer.ui.inspector.sheet import TABLE, Sheet
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import count_text, size_text
from viewer.ui.widgets.widgets import labeled, section, text, tooltip, wrapped

_VARIANTS: Final = {
    Variant.MODEL: Message("model"),
    Variant.LEGACY24: Message("legacy model, 24-byte nodes"),
    Variant.TERRAIN: Message("terrain"),
}


MOST_OTHERS: Final = 4
"""Controllers besides the first that are shown."""


def draw_file(sheet: Sheet) -> None:
    """Draw the whole file: variant, contents, bounds."""
    document, model = sheet.document, sheet.document.model
    wrapped(_("Nothing is selected: this is the file."), theme.DIM)
    draw_facts(
        "file",
        {
            _("address"): document.address,
            _("size"): size_text(document.size),
            _("variant"): str(_VARIANTS[model.variant]),
            _("nodes"): count_text(model.node_count),
            _("vertices"): count_text(model.vertex_count),
            _("frames"): count_text(model.frame_count),
            _("wear table"): document.materials.wear_source or _("none"),
            _("game folder"): translated(document.game.text),
        },
    )
    _draw_controllers(sheet)
    if section(labeled(_("Used by"), "used_by"), is_open_at_first=False):
        draw_users(sheet.frame, document.address, height=-1)
    if section(labeled(_("Resources"), "resources")):
        _draw_resources(document)
    if model.header is not None and section(labeled(_("Header bounds"), "header_bounds")):
        draw_record(
            HEADER,
            model.header,
            document.choice.reading,
            sheet.links,
            editing=sheet.editing(HEADER.name),
        )


def _draw_controllers(sheet: Sheet) -> None:
    """Draw links to the controllers that the registry names with the model; the first one is played."""
    controller = sheet.document.controller
    text(_("controller"), theme.DIM)
    imgui.same_line()
    if controller.address is None:
        text(_("none"), theme.FAINT)
        return
    for number, address in enumerate((controller.address, *controller.others[:MOST_OTHERS])):
        if number:
            imgui.same_line()
        draw_link(sheet.frame, f"controller{number}", Address.parse(address).name, Place(address))


def _draw_resources(document: Document) -> None:
    if not imgui.begin_table("##resources", 4, TABLE | imgui.TableFlags_.sizing_fixed_fit):
        return
    for key, title in (
        ("type", _("type")),
        ("table", _("table")),
        ("size", _("size")),
        ("attributes", _("attributes")),
    ):
        stretch = imgui.TableColumnFlags_.width_stretch if key == "attributes" else 0
        imgui.table_setup_column(labeled(title, key), stretch)
    imgui.table_headers_row()
    for entry in document.model.archive.entries:
        table = TABLES.get(entry.type_id)
        attributes = f"{entry.attr1}, {entry.attr2}, {entry.attr3}"
        imgui.table_next_row()
        for words, color in (
            (str(entry.type_id), theme.TEXT),
            (table.name if table else _("unknown"), theme.TEXT if table else theme.WARNING),
            (size_text(entry.size), theme.ERROR if entry.is_damaged else theme.TEXT),
            (attributes, theme.DIM),
        ):
            imgui.table_next_column()
            text(words, color)
        where = _("entry {index} at offset 0x{offset:X}").format(index=entry.index, offset=entry.offset)
        tooltip([entry.text or _("no name"), where, _("attributes {numbers}").format(numbers=attributes)])
    imgui.end_table()
