"""The tables of a model with names beside numbers: what uses a row, and its values decoded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.dataclass import replace
from viewer.formats.archive import nres
from viewer.formats.msh import keys, vertices
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.guesses import NO_GUESSES, Guess, guess_of
from viewer.formats.msh.keys import KEY, WORD
from viewer.formats.msh.nodes import GROUPS, NODE, NONE
from viewer.formats.msh.slots import SLOT
from viewer.formats.msh.tables import NORMALS, POSITIONS, STREAM14, STREAM15, STREAM16, TABLES, UVS
from viewer.formats.msh.tables import STREAM18 as SECOND_UVS
from viewer.formats.msh.triangles import TRIANGLE
from viewer.formats.msh.vertices import INDEX, STREAM18, decode_normals
from viewer.formats.record import Field
from viewer.formats.record import Rows as StoredRows
from viewer.formats.text import decode
from viewer.model.mesh.damage_stages import stages
from viewer.model.mesh.reading import wear_rows_of
from viewer.model.mesh.row_tables import NamedRows
from viewer.model.query.table import Column
from viewer.session.opened.document import Document
from viewer.session.opened.row_labels import WEAR
from viewer.session.opened.surroundings import CONTROL_POINTS, DAMAGE, NeighborRows
from viewer.session.places import VERTICES
from viewer.session.tables.table_view import NO_ROW, TableColumn, TableView, texts_column
from viewer.translation import Text, _, translated

Ints = npt.NDArray[np.int64]

_NODE: Final = _("Node that uses it, the first of several.")


def table_names(document: Document) -> tuple[str, ...]:
    """The tables of a document in their order; that of the vertices before the first of their streams."""
    names = [*document.model.tables]
    first = TABLES[POSITIONS].name
    if first in names:
        names.insert(names.index(first), VERTICES)
    return (*names, *document.neighbors.tables)


def table_view(document: Document, name: str, guesses: Mapping[str, str] = NO_GUESSES) -> TableView:
    """A table with stored and derived columns; raises `KeyError` if the document does not have it.

    Parameters
    ----------
    guesses
        What tables of unknown meaning are looked at as.
    """
    if name == VERTICES:
        return TableView(VERTICES, document.model.vertex_count, tuple(_of_vertices(document, guesses)))
    table, guess = document.table(name), guess_of(name, guesses)
    if table is None:
        raise KeyError(name)
    if guess is not None:
        type_id = next(it.type_id for it in TABLES.values() if it.name == name)
        rows = guess.record.view(document.model.payload(type_id))
        return TableView(name, len(rows), tuple(_guessed(guess, rows, len(rows))))
    derive = _DERIVED_FROM.get(name)
    derived = derive(document) if derive else ()
    address = table.address if isinstance(table, NeighborRows) else None
    return TableView(name, len(table.rows), (*derived, *_stored(document, table)), address)


def row_count(document: Document, name: str) -> int:
    """The number of rows of a table."""
    return document.model.vertex_count if name == VERTICES else document.row_count(name)


def _stored(document: Document, table: NamedRows) -> Iterator[TableColumn]:
    """A column for each field of a table; one for texts."""
    rows = table.rows
    if table.record is None or not isinstance(rows, np.ndarray):
        yield texts_column("text", [decode(text) for text in rows], _("Text up to its NUL."))
        return
    for field in table.record.fields:
        is_used = field.reading in ("", *document.choice.reading.choices)
        target = (field.refers_to or "") if is_used else ""
        names = _names(document, target) if target else None
        cells = _cell_name(document) if (table.record, field.name) == (NODE, "slots") else None
        yield TableColumn(Column.of_field(field, rows, names), field, refers_to=target, element_name=cells)


def _cell_name(document: Document) -> Callable[[int], str]:
    """What the cells of the slot matrix are, by their numbers."""
    return lambda number: translated(document.cell_names.cell(*divmod(number, GROUPS)))


def _guessed(guess: Guess, rows: StoredRows, count: int, table: str = "") -> Iterator[TableColumn]:
    """The columns of a guess: its fields, and the numbers that packed ones stand for."""
    for field in guess.record.fields:
        stored, name = rows[field.name][:count], f"{table}_{field.name}" if table else field.name
        if field.scale is not None:
            decoded = _("{doc} Decoded.", doc=field.doc)
            yield _stream(f"{name}_decoded", decode_normals(stored), count, decoded)
        yield replace(_stream(name, stored, count, field=field, table=table), is_guess=True)


def _names(document: Document, table: str) -> Callable[[], Mapping[int, str]]:
    return lambda: {row: name for row, name in enumerate(document.labels.names(table)) if name}


def _reference(
    document: Document, name: str, table: str, make: Callable[[], Ints], doc: Text = _NODE
) -> TableColumn:
    """A derived column of rows of another table, `NO_ROW` for none."""
    column = Column(name, make, none=NO_ROW, names=_names(document, table))
    return TableColumn(column, doc=doc, refers_to=table)


def _numbers(
    name: str, make: Callable[[], npt.NDArray[Any]], doc: Text, names: Sequence[Text] = ()
) -> TableColumn:
    """A derived column of numbers, with what each of them from 0 means."""
    meanings = {number: translated(meaning) for number, meaning in enumerate(names)}
    return TableColumn(Column(name, make, none=NO_ROW, names=lambda: meanings), doc=doc)


def _of_nodes(document: Document) -> Iterator[TableColumn]:
    if not len(document.model.nodes):  # those of 24 bytes have no names that are known
        return
    if any(document.names):
        yield texts_column("name", document.names[: len(document.model.nodes)], _("Name of the node."))
    if any(document.socket_tags):
        yield texts_column(
            "takes",
            document.socket_tags[: len(document.model.nodes)],
            _("Socket tag: the prefix of the parts that a socket accepts."),
        )


def _of_slots(document: Document) -> Iterator[TableColumn]:
    users = np.full((len(document.model.slots), 3), NO_ROW)
    for node, lod, group in np.argwhere(document.model.nodes["slots"] != NONE)[::-1].tolist():
        slot = int(document.model.nodes["slots"][node, lod, group])
        if slot < len(users):
            users[slot] = node, lod, group
    yield from _cells(document, users)


def _cells(document: Document, users: Ints) -> Iterator[TableColumn]:
    """Node, LOD and group of the first cell that shows each row, (n, 3)."""
    yield _reference(document, "node", NODE.name, lambda: users[:, 0])
    yield _numbers(
        "lod",
        lambda: users[:, 1],
        _("LOD of the first cell that shows it: a row of the slot matrix."),
        document.cell_names.lods,
    )
    yield _numbers(
        "group",
        lambda: users[:, 2],
        _("Group of the first cell that shows it: a column of the slot matrix."),
        document.cell_names.groups,
    )


def _of_batches(document: Document) -> Iterator[TableColumn]:
    draws, count = document.draws, len(document.model.batches)
    draw = _first(draws.batch, np.arange(len(draws)), count)
    cells = np.append(draws.parts.cells, 0).astype(np.int64)
    part = np.where(draw < 0, -1, np.append(draws.part, -1)[draw])
    lowest = np.log2(np.maximum(cells & -cells, 1)).astype(np.int64)
    is_shown = (part >= 0) & (cells[part] != 0)
    lod, group = (np.where(is_shown, it, NO_ROW) for it in np.divmod(lowest[part], GROUPS))
    node = np.where(part < 0, NO_ROW, np.append(draws.parts.node, NO_ROW)[part])
    yield from _cells(document, np.stack([node, lod, group], axis=1))
    slot = np.where(part < 0, NO_ROW, np.append(draws.parts.slot, NO_ROW)[part])
    yield _reference(document, "slot", SLOT.name, lambda: slot, _("Slot that contains it."))
    field = document.choice.reading.material_field
    yield _reference(
        document,
        "wear_row",
        WEAR,
        lambda: wear_rows_of(document.model.batches, field),
        _("Row of the wear table, which names the material."),
    )


def _of_descriptors(document: Document) -> Iterator[TableColumn]:
    descriptors, count = document.draws.descriptor, len(document.model.tri_descriptors)
    yield from _drawn(document, lambda: _first(descriptors, np.arange(len(descriptors)), count))


def _drawn(document: Document, triangles: Callable[[], Ints]) -> Iterator[TableColumn]:
    """Node and batch that draw each row.

    Parameters
    ----------
    triangles
        Makes the first triangle of the draws that uses each row, (n,), `NO_ROW` if none does.
    """
    draws = document.draws

    @cache
    def draw() -> Ints:
        """The draw of each row, (n,), one after the last for none."""
        first = triangles()
        found: Ints = np.searchsorted(draws.triangle_start, first, "right") - 1
        return np.where(first == NO_ROW, len(draws), found)

    batch = _("Batch that draws it, the first of several.")
    yield _reference(document, "node", NODE.name, lambda: np.append(draws.node, NO_ROW)[draw()])
    yield _reference(document, "batch", BATCH.name, lambda: np.append(draws.batch, NO_ROW)[draw()], batch)


def _of_indices(document: Document) -> Iterator[TableColumn]:
    model = document.model
    batch = np.full(len(model.indices), NO_ROW)
    for row, (start, count) in [*enumerate(model.batches[["index_start", "index_count"]].tolist())][::-1]:
        batch[start : start + count] = row
    base = np.append(model.batches["base_vertex"].astype(np.int64), 0)
    vertex = np.where(batch < 0, NO_ROW, model.indices + base[batch])
    yield _reference(document, "batch", BATCH.name, lambda: batch, _("Batch whose range has it."))
    yield _reference(document, "vertex", VERTICES, lambda: vertex, _("Vertex: index and base vertex."))


def _of_keys(document: Document) -> Iterator[TableColumn]:
    stored, order = document.model.keys["quaternion"], document.choice.reading.quaternion_order
    yield _reference(document, "node", NODE.name, lambda: document.animation.key_owners)
    rotation = _("Rotation w, x, y, z in the reading in effect.")
    yield _numbers("rotation", lambda: keys.decode_quaternion(stored, order), rotation)


def _of_words(document: Document) -> Iterator[TableColumn]:
    """Node and frame of each word of the frame map."""
    count, frames = len(document.model.frame_map), document.model.frame_count
    node, frame = np.full(count, NO_ROW), np.full(count, NO_ROW)
    for row, start in [*enumerate(document.model.nodes["map_start"].tolist())][::-1]:
        if start != NONE:
            node[start : start + frames] = row
            frame[start : start + frames] = np.arange(frames)[: max(0, count - start)]
    yield _reference(document, "node", NODE.name, lambda: node)
    yield _numbers("frame", lambda: frame, _("Frame of the animation."))


def _of_entries(document: Document) -> Iterator[TableColumn]:
    types = document.model.archive.rows["type_id"].tolist()
    names = [TABLES[type_id].name if type_id in TABLES else "" for type_id in types]
    yield texts_column("table", names, _("Table that the entry contains."))


def _of_vertices(document: Document, guesses: Mapping[str, str]) -> Iterator[TableColumn]:
    """Every stream of the vertices, decoded and as stored."""
    model, draws, count = document.model, document.draws, document.model.vertex_count
    yield from _drawn(document, lambda: _first_triangles(draws.corners, count))
    for type_id, name, decoded in (
        (POSITIONS, "position", None),
        (NORMALS, "normal", vertices.decode_normals),
        (UVS, "uv", vertices.decode_uvs),
        (SECOND_UVS, "uv2", lambda raw: raw.astype(np.float32) / np.float32(STREAM18.fields[0].scale or 1.0)),
        (STREAM14, "stream14", None),
        (STREAM15, "stream15", None),
        (STREAM16, "stream16", None),
    ):
        record = TABLES[type_id].record
        if record is None or not model.has(type_id):
            continue
        guess = guess_of(record.name, guesses)
        if guess is not None:
            yield from _guessed(guess, guess.record.view(model.payload(type_id)), count, record.name)
            continue
        field = record.fields[0]
        stored = model.rows(type_id)[field.name][:count]
        if decoded is not None:
            yield _stream(name, decoded(stored), count, _("{doc} Decoded.", doc=Text.of(field.doc)))
        yield _stream(f"{name}_raw" if decoded else name, stored, count, field=field, table=record.name)


def _stream(
    name: str,
    values: npt.NDArray[Any],
    count: int,
    doc: Text | None = None,
    field: Field | None = None,
    table: str = "",
) -> TableColumn:
    """A stream of the vertices; those after its end have no value."""

    def fitted() -> npt.NDArray[Any]:
        if len(values) == count:
            return values
        result = np.full((count, *values.shape[1:]), np.nan)
        result[: len(values)] = values
        return result

    return TableColumn(Column(name, fitted), field, doc, table=table)


def _first_triangles(corners: npt.NDArray[np.integer[Any]], count: int) -> Ints:
    """The first triangle with each vertex, (count,), `NO_ROW` for none; corners are (t, 3)."""
    first = np.full(count, len(corners))
    triangles = np.arange(len(corners))
    for column in corners.T:
        found = _first(column, triangles, count)
        first = np.minimum(first, np.where(found == NO_ROW, len(corners), found))
    return np.where(first == len(corners), NO_ROW, first)


def _first(rows: npt.NDArray[np.integer[Any]], values: Ints, count: int) -> Ints:
    """The first value at each row number below `count`, (count,), `NO_ROW` where there is none."""
    result = np.full(count, NO_ROW)
    is_inside = (rows >= 0) & (rows < count)
    result[rows[is_inside][::-1]] = values[is_inside][::-1]
    return result


def _of_control_points(document: Document) -> Iterator[TableColumn]:
    labels = document.neighbors.tables[CONTROL_POINTS].labels
    yield texts_column("name", labels, _("Name of the point."))


def _of_damage(document: Document) -> Iterator[TableColumn]:
    rows = document.neighbors.tables[DAMAGE].rows
    node = _("The node of the same row.")
    yield _reference(document, "node", NODE.name, lambda: np.arange(len(rows)), node)
    mass = _("Density times the volume of the slot in LOD 0, group 0.")
    yield _numbers("mass", lambda: _masses(document, rows["density"]), mass)
    yield texts_column("stages", _stages(document), _("Hit points at which the node shows its next slots."))


def _stages(document: Document) -> list[str]:
    """The damage stages of each node in words."""
    points = document.neighbors.tables[DAMAGE].rows["hit_points"].tolist()
    lods, flags = document.chooser.lods.tolist(), document.model.nodes["flags"].tolist()
    found = ["; ".join(stages(*it)) for it in zip(lods, points, flags, strict=False)]
    return found + [""] * (len(points) - len(found))


def _masses(document: Document, density: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """The mass of each node, (n,); NaN for one without a slot."""
    slot = np.full(len(density), NONE, np.int64)
    first = document.model.nodes["slots"][: len(density), 0, 0]
    slot[: len(first)] = first
    volume = SLOT.field("opaque").bits[1].of_rows(document.model.slots["opaque"])
    mass: npt.NDArray[np.float64] = (
        density * np.append(volume.astype(np.float64), np.nan)[np.minimum(slot, len(volume))]
    )
    return mass


_DERIVED_FROM: Final[Mapping[str, Callable[[Document], Iterator[TableColumn]]]] = {
    NODE.name: _of_nodes,
    SLOT.name: _of_slots,
    BATCH.name: _of_batches,
    TRIANGLE.name: _of_descriptors,
    INDEX.name: _of_indices,
    KEY.name: _of_keys,
    WORD.name: _of_words,
    nres.ENTRY.name: _of_entries,
    CONTROL_POINTS: _of_control_points,
    DAMAGE: _of_damage,
}
