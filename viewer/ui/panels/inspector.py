"""Inspector panel: the selected node, slot, batch and triangle field by field, else the file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from imgui_bundle import imgui

from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.nodes import GROUPS, LODS, NODE, NONE
from viewer.formats.msh.slots import HEADER, SLOT
from viewer.formats.msh.tables import TABLES
from viewer.formats.msh.triangles import TRIANGLE
from viewer.formats.record import Record
from viewer.model.mesh.animation import NO_KEY
from viewer.model.mesh.model import Variant
from viewer.model.mesh.reading import wear_rows_of
from viewer.model.store.place import Place
from viewer.session.opened.document import Document
from viewer.session.places import batches_at, corners_of, exists, slots_of_batch, users_of_slot
from viewer.session.selection import Selection
from viewer.session.view.view_state import with_cell, with_override
from viewer.translation import Message, _, translated
from viewer.ui.context import UiContext, ViewChange
from viewer.ui.fields.field_view import Links, draw_facts, draw_record
from viewer.ui.requests import GoTo
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import count_text, counted, numbers_text, size_text
from viewer.ui.widgets.widgets import empty, identified, labeled, text, tooltip, wrapped

_MOST_LINKS: Final = 24
"""Most links in one list; the rest is counted."""
_VARIANTS: Final = {
    Variant.MODEL: Message("model"),
    Variant.LEGACY24: Message("legacy model, 24-byte nodes"),
    Variant.TERRAIN: Message("terrain"),
}
_TABLE = imgui.TableFlags_.row_bg | imgui.TableFlags_.borders_inner_v | imgui.TableFlags_.no_saved_settings


@dataclass(frozen=True, slots=True)
class _Sheet:
    """What the sections draw from: the frame, its document, and where links lead."""

    frame: UiContext
    document: Document
    selection: Selection
    links: Links

    def place(self, table: str, row: int) -> Place:
        """Return the place of a row of a table."""
        return Place(self.document.address, table, row)

    def record(self, record: Record, rows: np.ndarray, row: int, *, skip: tuple[str, ...] = ()) -> None:
        """Draw one row of a table, or an error if it does not exist."""
        if 0 <= row < len(rows):
            reveal = self.frame.reveal
            marked = reveal.field if reveal and reveal in self.place(record.name, row) else ""
            reading = self.document.choice.reading
            draw_record(record, rows[row], reading, self.links, skip=skip, marked=marked)
        else:
            count = counted(len(rows), "{count} row", "{count} rows")
            words = _("{table} has {count}; row {row} does not exist.")
            wrapped(words.format(table=record.name, count=count, row=row), theme.ERROR)


class InspectorPanel:
    """Sections for the selection, each a record with its links."""

    id = "inspector"
    title = Message("Inspector")

    def draw(self, frame: UiContext) -> None:
        """Draw the sections that apply."""
        document = frame.document
        if document is None:
            empty(_("The fields of the selection appear here."))
            return
        sheet = _Sheet(frame, document, _completed(frame, document), _links(frame, document))
        if sheet.selection == Selection():
            _draw_file(sheet)
            return
        if len(sheet.selection.nodes) > 1:
            count = counted(
                len(sheet.selection.nodes),
                "{count} node selected",
                "{count} nodes selected; this is the last.",
            )
            text(count, theme.DIM)
        for name, title, row, draw in _sections(sheet):
            if row is not None and _section(labeled(title.format(row=row), name)):
                with identified(name):
                    draw(sheet, row)


def _links(frame: UiContext, document: Document) -> Links:
    """Links lead to rows of the document; the pointer on one lets the batches of the row flash."""
    return Links(
        lambda place: exists(document, place),
        lambda place: frame.request(GoTo(place)),
        lambda place: frame.flash(batches_at(document, place)),
        document.address,
    )


def _section(title: str) -> bool:
    """Begin a section; tell whether it is expanded."""
    imgui.push_style_color(imgui.Col_.header, theme.SECTION)
    is_open = imgui.collapsing_header(title, imgui.TreeNodeFlags_.default_open)
    imgui.pop_style_color()
    return is_open


def _sections(sheet: _Sheet) -> tuple[tuple[str, str, int | None, Callable[[_Sheet, int], None]], ...]:
    selection = sheet.selection
    return (
        ("node", _("Node {row}"), selection.node, _draw_node),
        ("slot", _("Slot {row}"), selection.slot, _draw_slot),
        ("batch", _("Batch {row}"), selection.batch, _draw_batch),
        ("triangle", _("Triangle {row}"), selection.triangle, _draw_triangle),
        ("descriptor", _("Descriptor {row}"), selection.descriptor, _draw_descriptor),
    )


def _completed(frame: UiContext, document: Document) -> Selection:
    """Add the slot that a node shows if only the node was selected."""
    selection = frame.view.selection
    if selection.node is None or selection.slot is not None or selection.node >= len(document.model.nodes):
        return selection
    slot = int(document.model.nodes["slots"][(selection.node, *frame.view.cell(selection.node))])
    return selection if slot == NONE else replace(selection, slot=slot)


def _draw_node(sheet: _Sheet, node: int) -> None:
    document, pose = sheet.document, sheet.frame.pose
    text(document.names[node] or _("no name"), theme.TEXT if document.names[node] else theme.DIM)
    if document.takes[node]:
        draw_facts("takes", {"takes": document.takes[node]})
    if len(document.model.nodes):
        sheet.record(NODE, document.model.nodes, node, skip=("slots",))
        _draw_cells(sheet, node)
        _draw_override(sheet, node)
    if pose is not None and node < len(pose.world):
        key = int(pose.sample.key[node])
        draw_facts(
            "pose",
            {
                _("current key"): _("identity, no key") if key == NO_KEY else f"{key}",
                _("interpolated"): _("yes") if pose.sample.is_interpolated[node] else _("no"),
                _("position"): numbers_text(pose.position[node]),
                _("rotation w x y z"): numbers_text(pose.quaternion[node]),
                _("world position"): numbers_text(pose.world[node, :3, 3]),
            },
        )


def _draw_cells(sheet: _Sheet, node: int) -> None:
    """The slot matrix: rows are LODs, columns groups; the cell that is shown is marked."""
    text(_("slots"), theme.DIM)
    imgui.same_line()
    text(_("LOD down, group across"), theme.FAINT)
    tooltip(_("In the field notes: damage state down, level of detail across, column 4 is a hull."))
    if not imgui.begin_table("##cells", GROUPS + 1, _TABLE | imgui.TableFlags_.sizing_stretch_same):
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


def _draw_cell(sheet: _Sheet, node: int, lod: int, group: int) -> None:
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


def _draw_override(sheet: _Sheet, node: int) -> None:
    """Draw the cell override of a node, and a button to clear it."""
    cell = sheet.frame.view.overrides.get(node)
    if cell is None:
        return
    words = _("override: LOD {lod}, group {group}").format(lod=cell[0], group=cell[1])
    text(words, theme.SELECTION)
    imgui.same_line()
    if imgui.small_button(labeled(_("Clear override"), "clear_override")):
        sheet.frame.change(lambda view: with_override(view, node, None))


def _draw_slot(sheet: _Sheet, slot: int) -> None:
    document = sheet.document
    sheet.record(SLOT, document.model.slots, slot)
    if slot >= len(document.model.slots):
        return
    words = _("node {node} ({lod},{group})")
    users = [
        (sheet.place(NODE.name, node), words.format(node=node, lod=lod, group=group))
        for node, lod, group in users_of_slot(document, slot)
    ]
    _draw_places("users", _("used by"), users, sheet)
    row = document.model.slots[slot]
    first, count = int(row["batch_start"]), int(row["batch_count"])
    held = [(sheet.place(BATCH.name, batch), str(batch)) for batch in range(first, first + count)]
    _draw_places("batches", _("batches"), held, sheet)


def _draw_batch(sheet: _Sheet, batch: int) -> None:
    document = sheet.document
    sheet.record(BATCH, document.model.batches, batch)
    if batch >= len(document.model.batches):
        return
    row = document.model.batches[batch]
    reading = document.choice.reading
    draw_facts(
        "batch_facts",
        {
            _("triangles"): count_text((int(row["index_count"]) + 2) // 3),
            _("wear row"): _("{row} ({reading} reading)").format(
                row=wear_rows_of(document.model.batches, reading.material_field)[batch],
                reading=reading.material_field,
            ),
        },
    )
    holders = slots_of_batch(document, batch)
    places = [(sheet.place(SLOT.name, slot), str(slot)) for slot in holders]
    _draw_places("slots", _("in slots"), places, sheet)


def _draw_triangle(sheet: _Sheet, triangle: int) -> None:
    corners = corners_of(sheet.document, sheet.selection)
    if corners is None:
        wrapped(_("Triangle {row} is not drawn.").format(row=triangle), theme.DIM)
        return
    positions = sheet.document.model.positions[list(corners)]
    facts = {
        _("vertex {row}").format(row=v): numbers_text(p) for v, p in zip(corners, positions, strict=True)
    }
    edges = positions[[1, 2]] - positions[0]
    facts[_("area")] = numbers_text(np.linalg.norm(np.cross(edges[0], edges[1])) / 2)
    draw_facts("corners", facts)
    if sheet.selection.descriptor is None:
        wrapped(_("This triangle has no descriptor."), theme.DIM)


def _draw_descriptor(sheet: _Sheet, descriptor: int) -> None:
    sheet.record(TRIANGLE, sheet.document.model.tri_descriptors, descriptor)


def _draw_places(name: str, title: str, places: list[tuple[Place, str]], sheet: _Sheet) -> None:
    """Draw links, wrapped to the width of the panel."""
    text(title, theme.DIM)
    right = imgui.get_cursor_screen_pos().x + imgui.get_content_region_avail().x
    for number, (place, words) in enumerate(places[:_MOST_LINKS]):
        imgui.same_line()
        if imgui.get_cursor_screen_pos().x + imgui.calc_text_size(words).x > right:
            imgui.new_line()
        if not sheet.links.reaches(place):
            text(words, theme.ERROR)
        else:
            with identified(number):
                sheet.links.draw(labeled(words, f"{name}{place.row}"), place)
    if not places:
        imgui.same_line()
        text(_("none"), theme.FAINT)
    elif len(places) > _MOST_LINKS:
        imgui.same_line()
        text(_("and {count} more").format(count=len(places) - _MOST_LINKS), theme.DIM)


def _draw_file(sheet: _Sheet) -> None:
    """The whole file: variant, contents, bounds."""
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
    if _section(labeled(_("Resources"), "resources")):
        _draw_resources(document)
    if model.header is not None and _section(labeled(_("Header bounds"), "header_bounds")):
        draw_record(HEADER, model.header, document.choice.reading, sheet.links)


def _draw_resources(document: Document) -> None:
    if not imgui.begin_table("##resources", 4, _TABLE | imgui.TableFlags_.sizing_fixed_fit):
        return
    for key, title in (
        ("type", _("type")),
        ("table", _("table")),
        ("size", _("size")),
        ("attributes", _("attributes")),
    ):
        stretch = imgui.TableColumnFlags_.width_stretch if key == "table" else 0
        imgui.table_setup_column(labeled(title, key), stretch)
    imgui.table_headers_row()
    for entry in document.model.archive.entries:
        table = TABLES.get(entry.type_id)
        imgui.table_next_row()
        for words, color in (
            (str(entry.type_id), theme.TEXT),
            (table.name if table else _("unknown"), theme.TEXT if table else theme.WARNING),
            (size_text(entry.size), theme.ERROR if entry.is_damaged else theme.TEXT),
            (f"{entry.attr1}, {entry.attr2}, {entry.attr3}", theme.DIM),
        ):
            imgui.table_next_column()
            text(words, color)
        where = _("entry {index} at offset 0x{offset:X}").format(index=entry.index, offset=entry.offset)
        tooltip([entry.text or _("no name"), where])
    imgui.end_table()
