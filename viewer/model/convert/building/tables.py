"""The one writer of models: a scene as the tables of the game's format, in either reading.

The tables are arrays that can be changed until `ModelTables.build`. What a scene has and the format cannot
hold is in `ModelTables.losses`; what cannot be written at all is a `FormatError` with table, row and field.

Source: spec/msh.md 1 to 9, 12; spec/animation.md 7; spec/field-notes.md 2.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from viewer.formats.msh import container, strings
from viewer.formats.msh import tables as types
from viewer.formats.msh.batches import BATCH, FLAG_SEE_THROUGH
from viewer.formats.msh.container import Attributes
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.nodes import GROUPS, LODS, NODE, NONE
from viewer.formats.msh.tables import attributes
from viewer.formats.record import Bytes, Rows
from viewer.model.convert.building.geometry import Geometry, SlotChoice, geometry_of, slot_choice
from viewer.model.convert.building.motion import pool_of, shown_first
from viewer.model.convert.building.nodes import (
    Losses,
    NodeOrder,
    References,
    RowPlace,
    names_of,
    order_of,
    word,
)
from viewer.model.convert.building.wear_rows import WearRows, wear_rows
from viewer.model.convert.motion.new_frames import in_a_row
from viewer.model.convert.scene import Origin, Primitive, Scene, SceneMaterial
from viewer.model.convert.shapes import emptiness
from viewer.model.material.selectors import HAS_LIGHTMAP, NO_LIGHTMAP
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.skeleton import ROOT
from viewer.model.mesh.reading import FIELD, SEED, MaterialField, Reading
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.translation import _

# The seed reading has a word at +0x02, the field reading the low byte of that at +0x04 (spec/msh.md 8.1).
MOST_ROWS: Final = {MaterialField.SEED: 0xFFFF, MaterialField.FIELD: 0xFF}
"""The last wear row that a batch can name."""


def batch_rows(scene: Scene, geometry: Geometry, wear: WearRows, field: MaterialField) -> Rows:
    """The records of all batches; raises `FormatError` for a material that a batch cannot name."""
    rows = BATCH.new(len(geometry.batches))
    counts = np.array([3 * len(it.triangles) for it in geometry.batches], np.int64)
    rows["index_count"], rows["index_start"] = counts, np.cumsum(counts) - counts
    # opaque14 is the largest index of a batch + 1: the number of its vertices, as none is unused.
    rows["base_vertex"], rows["opaque14"] = geometry.vertex_starts[:-1], np.diff(geometry.vertex_starts)
    names = ("flags", "material", "opaque4", "opaque6")
    words = [
        _words(scene, it, wear, field, RowPlace(BATCH.name, row)) for row, it in enumerate(geometry.batches)
    ]
    for name, values in zip(names, zip(*words, strict=True), strict=False):
        rows[name] = values
    return rows


def _words(
    scene: Scene, primitive: Primitive, wear: WearRows, field: MaterialField, place: RowPlace
) -> tuple[int, int, int, int]:
    """The words at +0x00, +0x02, +0x04 and +0x06; those with another meaning in the reading are made anew."""
    is_same = scene.origin is None or scene.origin.material_field == field
    fields = {name: it for name, it in primitive.fields.items() if is_same or name == "flags"}
    number = primitive.material
    if number is not None and not 0 <= number < len(scene.materials):
        count = len(scene.materials)
        raise place.wrong("material", "{value} of {count} materials", value=number, count=count)
    row = wear.default if number is None else wear.rows[number]
    material = SceneMaterial("") if number is None else scene.materials[number]
    has_lightmap = material.lightmap is not None and primitive.lightmap_uvs is not None
    is_blended = material.alpha.is_see_through
    usual = (HAS_LIGHTMAP if has_lightmap else 0) | (FLAG_SEE_THROUGH if is_blended else 0)
    flags = word(fields, "flags", usual, place)
    if field is MaterialField.SEED:
        row = place.limited("material", row, MOST_ROWS[field])
        return flags, row, word(fields, "opaque4", 0, place), word(fields, "opaque6", 0, place)
    row = place.limited("opaque4", row, MOST_ROWS[field])
    # In retail files the low byte is the wear row, the high byte the lightmap, 0xFF for none.
    high = word(fields, "opaque4", 0 if has_lightmap else NO_LIGHTMAP << 8, place) & 0xFF00
    return flags, word(fields, "material", 0, place), row | high, word(fields, "opaque6", NONE, place)


STREAMS: Final = (types.STREAM15, types.STREAM16, types.STREAM18)
"""Tables with a row for each vertex that are kept as they are."""
GIVEN: Final = (types.STRINGS, types.NAME_RECORDS, types.LIGHT_PROBES)
"""Tables whose attributes do not follow from their sizes: number of nodes, or number and size of records."""


class ModelTables(Struct, eq=False):
    """The tables of a model, open for changes until `build`.

    Attributes
    ----------
    nodes, header, slots, batches, triangles, keys
        Structured arrays of the records; `header` has one row.
    positions, normals, uvs, indices, frame_map
        Plain arrays: float32 (v, 3), int8 (v, 4), int16 (v, 2), uint16 (i,) and (w,).
    names, name_records
        Texts by node in Res10 and in Res9.
    frame_count
        Frames of the model.
    wear
        The rows of its wear table.
    tables
        Payloads by type that take the place of the arrays, or stand beside them.
    missing
        Types that are left out.
    attributes
        attr1, attr2, attr3 by type, where they differ from those of the specification.
    entry_names
        Names of entries by type, where they are not ``Res`` and the number.
    losses
        What the scene has and the format cannot hold, as sentences.
    numbers
        The row of each node of the scene.
    """

    nodes: Rows
    header: Rows
    slots: Rows
    batches: Rows
    triangles: Rows
    keys: Rows
    positions: npt.NDArray[np.float32]
    normals: npt.NDArray[np.int8]
    uvs: npt.NDArray[np.int16]
    indices: npt.NDArray[np.uint16]
    frame_map: npt.NDArray[np.uint16]
    names: list[bytes]
    name_records: list[bytes]
    frame_count: int
    wear: WearRows
    tables: dict[int, bytes] = field(default_factory=dict)
    missing: set[int] = field(default_factory=set)
    attributes: dict[int, Attributes] = field(default_factory=dict)
    entry_names: dict[int, bytes] = field(default_factory=dict)
    losses: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()

    def payloads(self) -> dict[int, bytes]:
        """The payloads of all tables that are written, by type."""
        return {type_id: bytes(data) for type_id, data in self._payloads().items()}

    def _payloads(self) -> dict[int, Bytes]:
        """The bytes of the tables where they are, without a copy of those that are large."""
        made: dict[int, Bytes] = {
            types.NODES: _bytes(self.nodes),
            types.SLOTS: self.header.tobytes() + self.slots.tobytes(),
            types.POSITIONS: _bytes(self.positions),
            types.NORMALS: _bytes(self.normals),
            types.UVS: _bytes(self.uvs),
            # In all retail models, with a meaning that is open (spec/msh.md 9): zeros, as many as vertices.
            types.STREAM15: bytes(8 * len(self.positions)),
            types.BATCHES: _bytes(self.batches),
            types.INDICES: _bytes(self.indices),
            types.TRIANGLES: _bytes(self.triangles),
            types.KEYS: _bytes(self.keys),
            types.FRAME_MAP: _bytes(self.frame_map),
            types.NAME_RECORDS: strings.build_name_records(self.name_records),
            types.STRINGS: strings.build(self.names),
        }
        made.update(self.tables)
        return {type_id: data for type_id, data in made.items() if type_id not in self.missing}

    def build(self) -> bytes:
        """The container, tables in the order of retail files."""
        payloads = self._payloads()
        given = {
            type_id: attributes(type_id, len(payloads[type_id]), node_count=len(self.nodes), frame_count=0)
            for type_id in GIVEN
            if type_id in payloads
        }
        given.update(self.attributes)
        return container.build(payloads, frame_count=self.frame_count, given=given, names=self.entry_names)

    def model(self) -> Model:
        """The model that the container holds."""
        return Model.read(self.build())


def tables_of(scene: Scene, reading: Reading = FIELD) -> ModelTables:
    """The tables of a scene in a reading.

    Raises `FormatError` for what no model can hold: more rows than 16 bits address, numbers that are not
    finite, triangles without vertices.
    """
    losses = Losses()
    order = order_of(scene, losses)
    wear = wear_rows(scene)
    pool = pool_of(scene, order, reading.quaternion_order, losses)
    _check_cells(scene, order)
    chosen = slot_choice(scene, order)
    geometry = geometry_of(chosen, losses)
    records, names = names_of(scene, order.nodes, losses, has_name_records=reading.has_name_records)
    nodes = _nodes(scene, order, chosen)
    nodes["map_start"], nodes["fallback_key"] = pool.map_starts, pool.fallbacks
    batches = batch_rows(scene, geometry, wear, reading.material_field)
    references = References(scene, order, reading.material_field)
    references.put_rooms(batches, losses)
    return ModelTables(
        nodes=nodes,
        header=shown_first(
            geometry, chosen.cells, order.parents, nodes, pool, reading.quaternion_order
        ).header,
        slots=geometry.slots,
        batches=batches,
        triangles=geometry.triangles,
        keys=pool.keys,
        positions=geometry.positions,
        normals=geometry.normals,
        uvs=geometry.uvs,
        indices=geometry.indices,
        frame_map=pool.words,
        names=names,
        name_records=records,
        frame_count=pool.frame_count,
        wear=wear,
        tables=_other_tables(references.tables(scene.tables, losses), geometry),
        attributes=dict(scene.attributes),
        losses=tuple(losses.sentences),
        numbers=tuple(order.rows),
    )


def _bytes(rows: npt.NDArray[Any]) -> Bytes:
    """The memory of an array, or a copy if it is not in one piece; empty memory has no view of bytes."""
    # numpy refuses to view an array of no elements as bytes.
    return np.ascontiguousarray(rows).reshape(-1).view(np.uint8).data if rows.size else b""


def _check_cells(scene: Scene, order: NodeOrder) -> None:
    """Raise `FormatError` for a cell or a mesh that does not exist."""
    for row, number in enumerate(order.nodes):
        for (line, column), mesh in scene.nodes[number].cells.items():
            place = RowPlace(NODE.name, row)
            place.limited("slots", line, LODS - 1)
            place.limited("slots", column, GROUPS - 1)
            if not 0 <= mesh < len(scene.meshes):
                count = len(scene.meshes)
                raise place.wrong("slots", "{value} of {count} meshes", value=mesh, count=count)


def _nodes(scene: Scene, order: NodeOrder, chosen: SlotChoice) -> Rows:
    rows = NODE.new(len(order.nodes))
    rows["parent"] = [NONE if parent == ROOT else parent for parent in order.parents]
    rows["flags"] = [
        word(scene.nodes[number].fields, "flags", 0, RowPlace(NODE.name, row))
        for row, number in enumerate(order.nodes)
    ]
    # Cells without a slot hold 0xFFFF.
    rows["slots"] = NONE
    for row, cells in enumerate(chosen.cells):
        for cell, slot in cells.items():
            rows["slots"][row][cell] = slot
    return rows


def _other_tables(made: dict[int, bytes], geometry: Geometry) -> dict[int, bytes]:
    """Tables that are kept; tables of vertices are in the new order of the vertices."""
    for type_id in STREAMS:
        record = types.TABLES[type_id].record
        if type_id in made and record is not None:
            stored, rows = record.view(made[type_id]), record.new(len(geometry.rows))
            is_known = (geometry.rows >= 0) & (geometry.rows < len(stored))
            rows[is_known] = stored[geometry.rows[is_known]]  # those of new vertices stay 0
            made[type_id] = rows.tobytes()
    if geometry.lightmap_uvs is not None:
        made[types.STREAM18] = geometry.lightmap_uvs.tobytes()
    return made


class NewModel(Struct, frozen=True):
    """The files of a model.

    Attributes
    ----------
    data
        The bytes of the model.
    wear
        The rows of its wear table.
    losses
        What the scene has and they cannot hold.
    numbers
        The row of each node of the scene.
    reading
        The meaning of its tables.
    notes
        How it was read, and its clips, which a model does not name.
    """

    data: bytes
    wear: WearRows
    losses: tuple[str, ...]
    numbers: tuple[int, ...]
    reading: Reading
    notes: tuple[str, ...] = ()


def made_of(scene: Scene, choice: ReadingChoice = ReadingChoice.AUTO) -> NewModel:
    """The model of a scene; raises `FormatError` for what no model can hold."""
    scene, reading = in_a_row(scene), reading_of(choice, scene.origin)
    tables = tables_of(scene, reading)
    count = _("{count} animations follow one another", count=len(scene.clips))
    follow = [count] if scene.is_in_a_row else []
    follow += emptiness(scene)
    losses = (*scene.losses, *follow, *tables.losses, *tables.wear.losses)
    primitives = [it for mesh in scene.meshes for it in mesh.primitives if len(it.triangles)]
    has_normals = all(it.has_own_normals for it in primitives)
    computed = () if has_normals else (_("the file has no normals: they are computed from its faces"),)
    notes = (*scene.notes, *computed, *scene.clip_words())
    return NewModel(bytes(tables.build()), tables.wear, losses, tables.numbers, reading, notes)


def reading_of(choice: ReadingChoice, origin: Origin | None) -> Reading:
    """The reading of a new model: as chosen, else as of its origin, else as of retail files."""
    if choice is not ReadingChoice.AUTO:
        return SEED if choice is ReadingChoice.SEED else FIELD
    if origin is None:
        return FIELD
    order, field = QuaternionOrder(origin.quaternion_order), MaterialField(origin.material_field)
    return Reading(order, field, has_name_records=origin.has_name_records)
