"""The sections of slots, batches, triangles, descriptors and vertices."""

from __future__ import annotations

from functools import partial

import numpy as np

from viewer.formats.msh import triangles, vertices
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.slots import SLOT
from viewer.formats.msh.tables import NORMALS, TABLES, UVS
from viewer.formats.msh.triangles import TRIANGLE
from viewer.geometry.transforms import transform_points
from viewer.model.edit.geometry.material_changes import AssignMaterial
from viewer.model.edit.geometry.vertex_fields import FACE_NORMAL, VERTEX_NORMAL, VERTEX_UV
from viewer.model.edit.row_choice import RowChoice
from viewer.model.material.materials import MATERIALS
from viewer.model.mesh.reading import wear_rows_of
from viewer.session.places import STREAMS, VERTICES, corners_of, slots_of_batch, users_of_slot
from viewer.translation import _
from viewer.ui.editing.edit_spot import EditSpot
from viewer.ui.editing.value_box import ValueStyle
from viewer.ui.fields.field_view import draw_facts
from viewer.ui.inspector.sheet import Sheet, choices_in
from viewer.ui.table.cell_spot import WEAR_ROW
from viewer.ui.widgets import theme
from viewer.ui.widgets.cell_text import cell_name
from viewer.ui.widgets.field_text import count_text, numbers_text
from viewer.ui.widgets.widgets import identified, text, wrapped


def draw_slot(sheet: Sheet, slot: int) -> None:
    """Draw a slot, the cells that show it and its batches."""
    document = sheet.document
    sheet.record(SLOT, document.model.slots, slot)
    if slot >= len(document.model.slots):
        return
    words = _("{node}: {cell}")
    users = [
        (
            sheet.place(NODE.name, node),
            words.format(node=sheet.label(NODE.name, node), cell=cell_name(document, lod, group)),
        )
        for node, lod, group in users_of_slot(document, slot)
    ]
    sheet.places("users", _("used by"), users)
    row = document.model.slots[slot]
    first, count = int(row["batch_start"]), int(row["batch_count"])
    sheet.rows("batches", _("batches"), BATCH.name, range(first, first + count))


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
            _("triangles"): count_text((int(row["index_count"]) + 2) // 3),
            _("wear row"): _("{row} ({reading} reading)").format(
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
    spot = EditSpot(
        document.address, BATCH.name, rows, WEAR_ROW, row, make=lambda value: AssignMaterial(rows, value)
    )
    style = ValueStyle(link=lambda: sheet.rows("material", _("material"), MATERIALS, material))
    sheet.editor.draw(sheet.frame, spot, style, partial(choices_in, document))


def draw_triangle(sheet: Sheet, triangle: int) -> None:
    """Draw the vertices and the area of a triangle."""
    corners = corners_of(sheet.document, sheet.selection)
    if corners is None:
        wrapped(_("Triangle {row} is not drawn.").format(row=triangle), theme.DIM)
        return
    positions = sheet.document.model.positions[list(corners)]
    sheet.rows("corners", _("vertices"), VERTICES, corners)
    facts = {
        _("vertex {row}").format(row=v): numbers_text(p) for v, p in zip(corners, positions, strict=True)
    }
    edges = positions[[1, 2]] - positions[0]
    facts[_("area")] = numbers_text(np.linalg.norm(np.cross(edges[0], edges[1])) / 2)
    draw_facts("corners", facts)
    if sheet.selection.descriptor is None:
        wrapped(_("This triangle has no descriptor."), theme.DIM)


def draw_descriptor(sheet: Sheet, descriptor: int) -> None:
    """Draw a triangle descriptor."""
    rows = sheet.document.model.tri_descriptors
    sheet.record(TRIANGLE, rows, descriptor)
    if descriptor < len(rows):
        normal = triangles.decode_normal(rows["normal"][descriptor : descriptor + 1])[0]
        sheet.decoded(_("face normal"), TRIANGLE.name, descriptor, FACE_NORMAL, normal)


def draw_vertex(sheet: Sheet, vertex: int) -> None:
    """Draw all streams of a vertex, and what uses it."""
    document, pose, node = sheet.document, sheet.frame.state.pose, sheet.selection.node
    for type_id in STREAMS:
        stream = TABLES[type_id]
        if stream.record is not None and document.model.has(type_id):
            text(stream.name, theme.DIM)
            with identified(stream.name):
                sheet.record(stream.record, document.model.rows(type_id), vertex, table=stream.name)
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
    for title, type_id, field, decode in (
        (_("normal x y z"), NORMALS, VERTEX_NORMAL, vertices.decode_normals),
        (_("texture u v"), UVS, VERTEX_UV, vertices.decode_uvs),
    ):
        model = sheet.document.model
        if model.has(type_id) and vertex < len(model.rows(type_id)):
            raw = model.rows(type_id)[field.name][vertex : vertex + 1]
            sheet.decoded(title, VERTICES, vertex, field, decode(raw)[0])
