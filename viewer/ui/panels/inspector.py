"""Inspector panel: the selected node, slot, batch, triangle, vertex and key field by field, else the file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import numpy as np
from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui
from msgspec.structs import replace

from viewer.formats.archive import nres
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.guesses import GUESSES, guess_of
from viewer.formats.msh.keys import KEY
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.slots import HEADER, SLOT
from viewer.formats.msh.tables import NORMALS, TABLES, UVS
from viewer.formats.msh.triangles import TRIANGLE
from viewer.formats.msh.vertices import INDEX
from viewer.geometry.transforms import transform_points
from viewer.model.edit.geometry.slot_changes import AssignMaterial
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.registry import MODEL
from viewer.model.material.materials import MATERIALS
from viewer.model.mesh.engine_model import engine_fields
from viewer.model.mesh.model import Variant
from viewer.model.mesh.reading import wear_rows_of
from viewer.model.store.place import Place
from viewer.model.tables.model_tables import DECLARED, computed_texts, row_count
from viewer.model.tables.set_fields import FACE_NORMAL, VERTEX_NORMAL, VERTEX_UV, WEAR_ROW
from viewer.model.tables.table_names import VERTICES
from viewer.session.field_text import cell_name, counted, numbers_text, size_text
from viewer.session.opened.document import Document
from viewer.session.places import CORNERS, STREAMS, corners_of, slots_of_batch, users_of_slot
from viewer.session.selection import Selection
from viewer.translation import _, count_text, translated
from viewer.ui.context import UiContext
from viewer.ui.editing.editable_field import EditableField
from viewer.ui.editing.field_editor import FieldEditor
from viewer.ui.editing.model_menu import ModelMenu, has_entries
from viewer.ui.editing.value_box import ValueStyle
from viewer.ui.fields.field_view import draw_facts, draw_record
from viewer.ui.fields.guess_choice import draw_guess, draw_guess_choice
from viewer.ui.fields.resource_links import draw_link
from viewer.ui.fields.user_list import draw_users
from viewer.ui.inspector import around_section
from viewer.ui.inspector.bounds_section import draw_bounds
from viewer.ui.inspector.degrees import HeldAngles
from viewer.ui.inspector.memory_section import draw_engine, draw_legacy_nodes
from viewer.ui.inspector.node_section import draw_key, draw_node
from viewer.ui.inspector.sheet import TABLE, Cells, InspectedRow, Sheet, SheetTools, choices_in, links_of
from viewer.ui.inspector.uv_section import draw_uv
from viewer.ui.material.uv_layer import UvLayer
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.table_grid import rows_on_screen, table_rows
from viewer.ui.widgets.widgets import (
    empty,
    identified,
    labeled,
    section,
    text,
    tooltip,
    wrapped,
)


def draw_slot(sheet: Sheet, slot: int) -> None:
    """Draw a slot, the cells that show it and its batches."""
    document = sheet.document
    sheet.record(SLOT, document.model.slots, slot)
    if slot >= len(document.model.slots):
        return
    users: list[tuple[Place, str]] = []
    for node, lod, group in users_of_slot(document, slot):
        cell = cell_name(document, lod, group)
        words = _("{node}: {cell}", node=sheet.label(NODE.name, node), cell=cell)
        users.append((sheet.place(NODE.name, node), words))
    sheet.places("users", _("used by"), users)
    row = document.model.slots[slot]
    first, count = int(row["batch_start"]), int(row["batch_count"])
    sheet.rows("batches", _("batches"), BATCH.name, range(first, first + count))
    draw_bounds(sheet, slot)


def draw_batch(sheet: Sheet, batch: int) -> None:
    """Draw a batch, its material and the slots that contain it."""
    document = sheet.document
    sheet.record(BATCH, document.model.batches, batch)
    if batch >= len(document.model.batches):
        return
    row = document.model.batches[batch]
    reading = document.choice.reading
    draw_facts(
        "batch_facts",
        {
            # Rounded up, as descriptors are counted: a batch with 4 indices has two.
            _("triangles"): count_text((int(row["index_count"]) + 2) // 3),
            _("wear row"): _(
                "{row} ({reading} reading)",
                row=wear_rows_of(document.model.batches, reading.material_field)[batch],
                reading=reading.material_field,
            ),
        },
    )
    _draw_material(sheet, batch)
    sheet.rows("slots", _("in slots"), SLOT.name, slots_of_batch(document, batch))


def _draw_material(sheet: Sheet, batch: int) -> None:
    """Draw the material of a batch as a link, and a list in which another one is chosen."""
    document = sheet.document
    row = wear_rows_of(document.model.batches, document.choice.reading.material_field)[batch]
    material = document.materials.of_batch[batch : batch + 1].tolist()
    rows = RowChoice.of(batch)
    target = EditableField(
        document.address, BATCH.name, rows, WEAR_ROW, row, make=lambda value: AssignMaterial(rows, value)
    )
    style = ValueStyle(link=lambda: sheet.rows("material", _("material"), MATERIALS, material))
    sheet.tools.editor.draw(sheet.frame, target, style, partial(choices_in, document))


def draw_triangle(sheet: Sheet, triangle: int) -> None:
    """Draw the vertices and the area of a triangle."""
    corners = corners_of(sheet.document, sheet.selection)
    if corners is None:
        wrapped(_("Triangle {row} is not drawn.", row=triangle), theme.DIM)
        return
    positions = sheet.document.model.positions[list(corners)]
    sheet.rows("corners", _("vertices"), VERTICES, corners)
    facts: dict[str, str] = {
        _("vertex {row}", row=v): numbers_text(p) for v, p in zip(corners, positions, strict=True)
    }
    edges = positions[[1, 2]] - positions[0]
    facts[_("area, square units")] = numbers_text(np.linalg.norm(np.cross(edges[0], edges[1])) / 2)
    draw_facts("corners", facts)
    if sheet.selection.descriptor is None:
        wrapped(_("This triangle has no descriptor."), theme.DIM)


def draw_descriptor(sheet: Sheet, descriptor: int) -> None:
    """Draw a triangle descriptor."""
    rows = sheet.document.model.tri_descriptors
    sheet.record(TRIANGLE, rows, descriptor)
    if descriptor < len(rows):
        sheet.decoded(_("face normal"), TRIANGLE.name, rows, descriptor, FACE_NORMAL)


def draw_vertex(sheet: Sheet, vertex: int) -> None:
    """Draw all streams of a vertex, and what uses it."""
    document, pose, node = sheet.document, sheet.frame.state.pose, sheet.selection.node
    for type_id in STREAMS:
        stream = TABLES[type_id]
        if stream.record is None or not document.model.has(type_id):
            continue
        if stream.name in GUESSES:
            imgui.align_text_to_frame_padding()
        text(stream.name, theme.DIM)
        guess = guess_of(stream.name, sheet.frame.view.guesses)
        if stream.name in GUESSES:
            imgui.same_line()
            draw_guess_choice(sheet.frame, stream.name)
        with identified(stream.name):
            if guess is None:
                sheet.record(stream.record, document.model.rows(type_id), vertex, table=stream.name)
            else:
                draw_guess(guess, document.model.payload(type_id), vertex, document.choice.reading)
    _draw_decoded(sheet, vertex)
    if vertex < document.model.vertex_count and pose is not None and node is not None:
        point = transform_points(pose.world[node], document.model.positions[vertex : vertex + 1])[0]
        draw_facts("vertex_facts", {_("world position"): numbers_text(point)})
    draws = document.draws
    found = np.flatnonzero((draws.corners == vertex).any(axis=1))
    draw = np.searchsorted(draws.triangle_start, found, "right") - 1
    sheet.rows("nodes", _("nodes"), NODE.name, np.unique(draws.node[draw]).tolist())
    batches = np.unique(draws.batch[draw])
    sheet.rows("batches", _("batches"), BATCH.name, batches[batches >= 0].tolist())
    descriptors = np.unique(draws.descriptor[found])
    sheet.rows("triangles", _("triangles"), TRIANGLE.name, descriptors[descriptors >= 0].tolist())


def _draw_decoded(sheet: Sheet, vertex: int) -> None:
    """Draw normal and texture coordinates of a vertex as the numbers that they stand for."""
    for title, type_id, decoded in (
        (_("normal x y z"), NORMALS, VERTEX_NORMAL),
        (_("texture u v"), UVS, VERTEX_UV),
    ):
        model = sheet.document.model
        if model.has(type_id) and vertex < len(model.rows(type_id)):
            sheet.decoded(title, VERTICES, model.rows(type_id), vertex, decoded)


_VARIANTS: Final = {
    Variant.MODEL: _("model"),
    Variant.LEGACY24: _("legacy model, 24-byte nodes"),
    Variant.TERRAIN: _("terrain"),
}


MOST_OTHERS: Final = 4
"""Controllers besides the first that are shown."""


def draw_file(sheet: Sheet) -> None:
    """Draw the whole file: variant, contents, bounds."""
    document, model = sheet.document, sheet.document.model
    wrapped(_("Nothing is selected: this is the file."), theme.DIM)
    draw_facts("file", sheet.tools.facts.of(sheet.made_of, document))
    _draw_controllers(sheet)
    draw_legacy_nodes(sheet)
    if section(labeled(_("Used by"), "used_by"), is_open_at_first=False):
        draw_users(sheet.frame, document.address, height=-1)
    if section(labeled(_("Resources"), "resources")):
        _draw_resources(sheet)
    if model.header is not None and section(labeled(_("Header bounds"), "header_bounds")):
        editing = sheet.editing(HEADER.name)
        draw_record(HEADER, model.header, document.choice.reading, sheet.links, editing=editing)
    draw_bounds(sheet)
    draw_engine(sheet)


def file_facts(document: Document) -> dict[str, str]:
    """The facts of a file."""
    model = document.model
    return {
        _("address"): str(document.address),
        _("size"): size_text(document.size),
        _("variant"): str(_VARIANTS[model.variant]),
        _("nodes"): count_text(model.node_count),
        _("vertices"): count_text(model.vertex_count),
        _("frames"): count_text(model.frame_count),
        _("wear table"): str(document.materials.wear_source or _("none")),
        _("game folder"): translated(document.game.text),
    }


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
        draw_link(sheet.frame, f"controller{number}", address.name, Place(address))


ATTRIBUTES_FROM: Final = 19.0
"""Font heights that the table of resources needs to show attributes."""
_RESOURCES: Final = int(TABLE) | int(imgui.TableFlags_.sizing_fixed_fit)


def _draw_resources(sheet: Sheet) -> None:
    columns: dict[str, float] = {_("type"): 0, _("table"): 0, _("size"): 0}
    if imgui.get_content_region_avail().x >= theme.em(ATTRIBUTES_FROM):  # else the tooltips have them
        columns["attr1, attr2, attr3"] = -1
    entries = sheet.document.model.archive.entries
    lines, on_screen = sheet.tools.entries.of(sheet.made_of), rows_on_screen(len(entries))
    for row in table_rows(f"##resources{len(columns)}", columns, on_screen, _RESOURCES, has_headers=True):
        if row not in lines:
            lines[row] = _resource_cells(entries[row])
        for number, (words, color) in enumerate(lines[row][: len(columns)]):
            if number:
                imgui.table_next_column()
            text(words, color)
        tooltip(partial(_entry_hints, entries, row))


def _resource_cells(entry: nres.Entry) -> Cells:
    """The texts of a row, and their colors."""
    table = TABLES.get(entry.type_id)
    return (
        (str(entry.type_id), theme.TEXT),
        (table.name, theme.TEXT) if table else (str(_("unknown")), theme.WARNING),
        (size_text(entry.size), theme.ERROR if entry.is_damaged else theme.TEXT),
        (_attributes(entry), theme.DIM),
    )


def _attributes(entry: nres.Entry) -> str:
    return f"{entry.attr1}, {entry.attr2}, {entry.attr3}"


def _entry_hints(entries: Sequence[nres.Entry], row: int) -> Iterator[str]:
    entry = entries[row]
    yield entry.text or _("no name")
    yield _("entry {index} at offset 0x{offset:X}", index=entry.index, offset=entry.offset)
    yield f"attr1, attr2, attr3: {_attributes(entry)}"


MENU: Final = "row_menu"
_DRAWN_APART: Final = frozenset({VERTICES, TRIANGLE.name})
"""Tables of whose rows the section has all that is computed."""


class InspectorPanel:
    """Sections for the selection, each a record with its links."""

    id = "inspector"
    title = _("Inspector")

    def __init__(self) -> None:
        self._menu = ModelMenu()
        made = Cached(MODEL.parts), Cached(file_facts), Cached[dict[int, Cells]](dict), Cached(engine_fields)
        self._computed = defaultdict[str, Cached[dict[str, str]]](lambda: Cached(computed_texts))
        self._tools = SheetTools(FieldEditor(), HeldAngles(), *made, UvLayer())

    def draw(self, frame: UiContext) -> None:
        """Draw the sections that apply."""
        document = frame.document
        if document is None:
            empty(_("The fields of the selection appear here."))
            return
        sheet = Sheet(frame, document, _completed(frame, document), links_of(frame, document), self._tools)
        if sheet.selection == Selection():
            draw_file(sheet)
            return
        if len(sheet.selection.nodes) > 1:
            count = counted(
                len(sheet.selection.nodes),
                "{count} node selected",
                "{count} nodes selected; this is the last. What is changed here is changed in all of them.",
            )
            wrapped(count, theme.DIM)
        for part in _sections(sheet):
            row, table = part.row, part.table
            if row is None:
                continue
            title = labeled(part.title.format(row=sheet.label(table, row)), part.id)
            if section(title, is_open_at_first=part.is_open_at_first):
                with identified(part.id):
                    self._draw_changes(sheet, *(part.changed or (table, (row,))))
                    part.draw(sheet, row)
                    self._draw_computed(sheet, table, row)

    def _draw_computed(self, sheet: Sheet, table: str, row: int) -> None:
        """The computed columns of a row, as the Tables panel shows them."""
        if table in DECLARED and table not in _DRAWN_APART:
            kept = self._computed[table]
            facts = kept.of((*sheet.made_of, row), sheet.document.tables, table, row)
            draw_facts("computed", {name: words for name, words in facts.items() if words})

    def _draw_changes(self, sheet: Sheet, table: str, rows: Sequence[int]) -> None:
        """Draw the button of the commands for rows, apart from setting their fields."""
        document, row = sheet.document, rows[-1]
        if document.model.tables.get(table) is None and table != VERTICES:
            return
        if row >= row_count(document.tables, table) or not has_entries(document, table, row):
            return
        if controls.small_button(f"{fa.ICON_FA_PEN}  {_('Change')}…", "change_row"):
            imgui.open_popup(MENU)
        if imgui.begin_popup(MENU):
            self._menu.draw(sheet.frame, document, table, rows)
            imgui.end_popup()


def _sections(sheet: Sheet) -> tuple[InspectedRow, ...]:
    """The sections in their order: a vertex and a key, which are chosen by themselves, come first."""
    selection = sheet.selection
    node, triangle = selection.node, selection.triangle
    corners = () if triangle is None else (triangle * CORNERS,)
    return (
        *around_section.sections(sheet),
        InspectedRow("vertex", _("Vertex {row}"), VERTICES, selection.vertex, draw_vertex),
        InspectedRow("key", _("Key {row}"), KEY.name, selection.key, draw_key),
        InspectedRow("node", _("Node {row}"), NODE.name, node, draw_node, (NODE.name, selection.nodes)),
        InspectedRow("slot", _("Slot {row}"), SLOT.name, selection.slot, draw_slot),
        InspectedRow("batch", _("Batch {row}"), BATCH.name, selection.batch, draw_batch),
        InspectedRow("uv", _("UV of batch {row}"), "", selection.batch, draw_uv, is_open_at_first=False),
        InspectedRow("triangle", _("Triangle {row}"), "", triangle, draw_triangle, (INDEX.name, corners)),
        InspectedRow(
            "descriptor", _("Descriptor {row}"), TRIANGLE.name, selection.descriptor, draw_descriptor
        ),
        around_section.damage_section(sheet),
    )


def _completed(frame: UiContext, document: Document) -> Selection:
    """Add the slot that a node shows if only the node was selected."""
    selection = frame.view.selection
    if selection.node is None or selection.slot is not None or selection.node >= len(document.model.nodes):
        return selection
    cell = document.shown_cell(selection.node, frame.view)
    if cell is None:
        return selection
    return replace(selection, slot=int(document.model.nodes["slots"][(selection.node, *cell)]))
