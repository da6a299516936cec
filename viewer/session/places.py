"""The meaning of a place in the open document: its existence, its selection and its problems.

A vertex is a row of the table ``vertices``, which stands for the rows of all its streams.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np
from msgspec.structs import replace

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.formats.archive import nres
from viewer.formats.msh import batches, keys, nodes, slots, strings, triangles
from viewer.formats.msh.keys import WORD
from viewer.formats.msh.path_graph import PATH_LINK
from viewer.formats.msh.tables import (
    NORMALS,
    PATH_GRAPH,
    POSITIONS,
    SLOTS,
    STREAM14,
    STREAM15,
    STREAM16,
    STREAM18,
    TABLES,
    UVS,
)
from viewer.formats.msh.terrain import FACE
from viewer.formats.msh.vertices import INDEX
from viewer.model.material.materials import MATERIALS, TraceStep
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Variant
from viewer.model.mesh.triangle_query import NO_LINK, TriangleLinks
from viewer.model.store.place import Place
from viewer.model.tables.neighbors import DAMAGE
from viewer.model.tables.table_names import VERTICES, WEAR
from viewer.operations.effects.effects import LoadedEffect
from viewer.session.opened.document import Document
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.opened.surroundings import NO_NODE, SELECTED, marks_of
from viewer.session.selection import Selection
from viewer.translation import Text, _

Finder = Callable[[Document, int, Selection], Selection]

CORNERS: Final = 3
"""Rows of Res6 per triangle."""
CLIPS: Final = "clips"
"""The states of the model's controller, as places in the model: showing one plays it."""
STREAMS: Final = (POSITIONS, NORMALS, UVS, STREAM14, STREAM15, STREAM16, STREAM18)
"""Tables with a row per vertex."""
STREAM_NAMES: Final = frozenset(TABLES[stream].name for stream in STREAMS)
_DIRECTORY: Final = nres.ENTRY.name
_TYPES: Final = {table.name: type_id for type_id, table in TABLES.items()} | {
    slots.HEADER.name: SLOTS,
    PATH_LINK.name: PATH_GRAPH,
    VERTICES: POSITIONS,
}
"""The resource that holds each table."""


class Problem(NamedTuple):
    """A diagnostic and its place."""

    finding: Diagnostic
    place: Place


def problems(shown: Document | OpenedResource) -> Iterator[Problem]:
    """Yield the problems of what a tab shows; of a model also those of its materials and its effects."""
    for finding in shown.diagnostics:
        yield Problem(finding, Place.of(shown.address, finding))
    if not isinstance(shown, Document):
        yield from _of_effects(shown.slots)
        return
    for step in shown.materials.problems:
        yield Problem(step.finding, _about(shown, step))
    rows = () if shown.effects is None else shown.effects.rows
    for row in rows:
        if row.problem:
            finding = _of_effect(row.name, Diagnostic("", Severity.WARNING, row.problem))
            by_node = Place(shown.address, nodes.NODE.name, row.node)
            controller = Place(shown.controller.address or shown.address)
            yield Problem(finding, by_node if row.started is None else controller)
    yield from _of_effects(effect for row in rows for effect in row.variants)


def _of_effects(effects: Iterable[LoadedEffect | None]) -> Iterator[Problem]:
    """Yield the problems of effects, of each once."""
    for effect in {it.address: it for it in effects if it is not None}.values():
        for finding in effect.lost:
            named = _of_effect(effect.address.name, finding)
            yield Problem(named, Place.of(effect.address, finding))


def _of_effect(name: str, finding: Diagnostic) -> Diagnostic:
    message = _("effect {name}: {problem}", name=name, problem=Text.of(finding.message))
    return replace(finding, message=message)


def _about(document: Document, step: TraceStep) -> Place:
    """Return the damaged place, or the first material with a missing resource."""
    if step.place is not None and not step.is_missing:
        return step.place
    rows = document.materials.rows
    row = next((row for row, material in enumerate(rows) if step.text in material.problems), None)
    return Place(document.address, MATERIALS, row)


def exists(document: Document, place: Place) -> bool:
    """Whether a document has the table, row and field of a place."""
    if place.address != document.address:
        return False
    if place.table in {"", MATERIALS, CLIPS}:
        rows = document.controller.clips if place.table == CLIPS else document.materials.rows
        return place.row is None or place.row < len(rows)
    if place.table == nodes.NODE.name and not place.field and place.row is not None:
        return 0 <= place.row < document.model.node_count
    if place.table == VERTICES:
        return not place.field and (place.row is None or 0 <= place.row < document.model.vertex_count)
    table = document.table(place.table)
    if table is None or (place.field and not table.has_field(place.field)):
        return False
    return place.row is None or 0 <= place.row < len(table.rows)


def linked(document: Document, place: Place) -> Place:
    """Return where a link to a place leads: a row of the wear table to the first material that it is."""
    if place.table != WEAR or place.address != document.address:
        return place
    rows = (index for index, material in enumerate(document.materials.rows) if material.row == place.row)
    index = next(rows, None)
    return place if index is None else Place(place.address, MATERIALS, index)


def nearest(document: Document, place: Place) -> Place:
    """Return a place of a document if it exists, else the nearest existing one.

    That is its row, its table, the directory entry of the resource that holds the table, or the directory.
    The attributes of a table are in that entry.
    """
    candidates, type_id = [place], _TYPES.get(place.table)
    index = None if type_id is None else document.model.archive.find_type(type_id)
    resource = None if index is None else Place(document.address, _DIRECTORY, index)
    if resource is not None and place.row is None:
        candidates.append(replace(resource, field=place.field))
    candidates += [outer for outer in place.outers if outer.table]
    if resource is not None:
        candidates.append(resource)
    candidates.append(Place(document.address, _DIRECTORY))
    return next(it for it in candidates if exists(document, it))


def is_selectable(document: Document, place: Place) -> bool:
    """Whether the place exists and can be selected; for a whole document that is an empty selection."""
    is_row = place.table in _FINDERS and place.row is not None
    return (is_row or not place.table) and exists(document, place)


def selection_at(document: Document, place: Place, now: Selection) -> Selection:
    """Return the selection that shows a place; the current selection `now` decides if several are possible.

    A row that nothing draws is selected alone, without a node.
    """
    return Selection() if place.row is None else _FINDERS[place.table](document, place.row, now)


def places_of(document: Document, selection: Selection) -> Iterator[Place]:
    """Yield the selected rows: nodes, then the rows inside the last node, the smallest last."""
    address, first = document.address, selection.triangle
    damage = document.neighbors.tables.get(DAMAGE)
    if damage is not None:
        yield from (Place(address, DAMAGE, node) for node in selection.nodes if node < len(damage.rows))
    yield from (Place(address, nodes.NODE.name, node) for node in selection.nodes)
    is_terrain = document.model.variant is Variant.TERRAIN
    inside = (
        (slots.SLOT.name, selection.slot),
        (batches.BATCH.name, selection.batch),
        (FACE.name, first) if is_terrain else (INDEX.name, None if first is None else CORNERS * first),
        (triangles.TRIANGLE.name, selection.descriptor),
        (VERTICES, selection.vertex),
        (keys.KEY.name, selection.key),
        *((table, getattr(selection, name)) for table, name in SELECTED.items()),
    )
    yield from (Place(address, table, row) for table, row in inside if row is not None)


def batches_at(document: Document, place: Place) -> Collection[int]:
    """Return the batches that a row is, contains or belongs to; none for a row that is not geometry."""
    if place.row is None or not exists(document, place):
        return ()
    if place.table in _BATCHES_OF:
        return _BATCHES_OF[place.table](document, place.row)
    if place.table in _NODE_OF:
        node = _NODE_OF[place.table](document, place.row)
        drawn = document.draws.batch[document.draws.node == node]
        return frozenset(drawn[drawn >= 0].tolist())
    batch = selection_at(document, place, Selection()).batch if place.table in _FINDERS else None
    return () if batch is None else (batch,)


def node_of(document: Document, place: Place) -> int | None:
    """Return the node that a row of a table belongs to: its name, a key, a word of its frame map."""
    if place.row is None or place.table not in _NODE_OF:
        return None
    node = _NODE_OF[place.table](document, place.row)
    return node if node is not None and node < document.model.node_count else None


def _batches_of_index(document: Document, row: int) -> Collection[int]:
    start = document.model.batches["index_start"].astype(np.int64)
    is_inside = (start <= row) & (row < start + document.model.batches["index_count"])
    return frozenset(np.flatnonzero(is_inside).tolist())


def _node_of_word(document: Document, row: int) -> int | None:
    """The first node whose words of the frame map include a row."""
    start = document.model.nodes["map_start"].astype(np.int64)
    is_inside = (start != nodes.NONE) & (start <= row) & (row < start + document.model.frame_count)
    return int(is_inside.argmax()) if is_inside.any() else None


def batches_of_slot(document: Document, slot: int) -> range:
    """Return the existing batches in a slot's range."""
    row = document.model.slots[slot]
    start, count = int(row["batch_start"]), len(document.model.batches)
    return range(min(start, count), min(start + int(row["batch_count"]), count))


def users_of_slot(document: Document, slot: int) -> list[tuple[int, int, int]]:
    """Return (node, LOD, group) of every cell that refers to a slot."""
    found = np.argwhere(document.model.nodes["slots"] == slot)
    return [(node, lod, group) for node, lod, group in found.tolist()]


def slots_of_batch(document: Document, batch: int) -> list[int]:
    """Return the slots whose batch range contains a batch."""
    rows = document.model.slots
    start = rows["batch_start"].astype(np.int64)
    is_inside = (start <= batch) & (batch < start + rows["batch_count"])
    return np.flatnonzero(is_inside).tolist()


def triangle_record(document: Document, selection: Selection) -> Place | None:
    """The descriptor of the selected triangle, in a terrain its face; None without one."""
    is_terrain = document.is_terrain
    row = selection.triangle if is_terrain else selection.descriptor
    place = Place(document.address, FACE.name if is_terrain else triangles.TRIANGLE.name, row)
    return place if row is not None and exists(document, place) else None


def neighbor_of(document: Document, selection: Selection, edge: int) -> Place | None:
    """The triangle at the other side of an edge of the selected one, as its link says; None without one."""
    place = triangle_record(document, selection)
    if place is None or place.row is None:
        return None
    target = int(TriangleLinks.of(document.model, document.draws).target[place.row, edge])
    return None if target == NO_LINK else replace(place, row=target)


def corners_of(document: Document, selection: Selection) -> tuple[int, int, int] | None:
    """Return the vertices of the selected triangle, or None."""
    if selection.triangle is None:
        return None
    found = np.flatnonzero(document.draws.triangle == selection.triangle)
    if not len(found):
        return None
    a, b, c = document.draws.corners[found[0]].tolist()
    return a, b, c


def _node(document: Document, row: int, now: Selection) -> Selection:
    del document, now
    return Selection((row,))


def _slot(document: Document, row: int, now: Selection) -> Selection:
    parts = document.draws.parts
    users = parts.node[parts.slot == row].tolist()
    return Selection(_preferred(users, now), slot=row)


def _batch(document: Document, row: int, now: Selection) -> Selection:
    found = np.flatnonzero(document.draws.batch == row).tolist()
    users = [int(document.draws.node[draw]) for draw in found]
    holders = {int(document.draws.slot[draw]) for draw in found} or set(slots_of_batch(document, row))
    slot = now.slot if now.slot in holders else min(holders, default=None)
    return Selection(_preferred(users, now), slot=slot, batch=row)


def _descriptor(document: Document, row: int, now: Selection) -> Selection:
    draws = document.draws
    found = np.flatnonzero(draws.descriptor == row)
    if not len(found):
        return Selection(descriptor=row)
    draw = int(np.searchsorted(draws.triangle_start, found[0], "right")) - 1
    batch = _batch(document, int(draws.batch[draw]), replace(now, slot=int(draws.slot[draw])))
    return replace(batch, triangle=int(draws.triangle[found[0]]), descriptor=row)


def _face(document: Document, row: int, now: Selection) -> Selection:
    """The face of a terrain in the active node if that draws it, else in the first that does."""
    draws = document.draws
    found = drawn_triangle(draws, row, now)
    if found is None:
        return Selection(triangle=row)
    _triangle, draw = found
    return Selection((int(draws.node[draw]),), _known(draws.slot[draw]), triangle=row)


def drawn_triangle(draws: Draws, row: int, now: Selection) -> tuple[int, int] | None:
    """Return a triangle among those of the draws, and its draw: in the active node if that has it."""
    found = np.flatnonzero(draws.triangle == row)
    if not len(found):
        return None
    draw = np.searchsorted(draws.triangle_start, found, "right") - 1
    best = int((draws.node[draw] == _or(now.node)).argmax())
    return int(found[best]), int(draw[best])


def _vertex(document: Document, row: int, now: Selection) -> Selection:
    """The vertex in the selected triangle, batch, slot or node if they have it, else in the first draw."""
    draws = document.draws
    found = np.flatnonzero((draws.corners == row).any(axis=1))
    if not len(found):
        return Selection(vertex=row)
    if now.triangle is not None and now.triangle in draws.triangle[found]:
        return replace(now, vertex=row, key=None)
    draw = np.searchsorted(draws.triangle_start, found, "right") - 1
    node, slot, batch = draws.node[draw], draws.slot[draw], draws.batch[draw]
    # The node counts more than the slot and the batch together: 4, 2 and 1.
    likeness = (node == _or(now.node)) * 4 + (slot == _or(now.slot)) * 2 + (batch == _or(now.batch))
    best = int(likeness.argmax())
    return Selection((int(node[best]),), _known(slot[best]), _known(batch[best]), vertex=row)


def _or(row: int | None) -> int:
    """A row, or a number that no row has."""
    return -2 if row is None else row


def _known(row: np.int64) -> int | None:
    return None if row < 0 else int(row)


def _key(document: Document, row: int, now: Selection) -> Selection:
    """The key in the track of the active node if it is there, else of the first node that has it."""
    if now.node is not None and row in document.animation.track(now.node):
        return Selection((now.node,), key=row)
    owner = int(document.animation.key_owners[row])
    return Selection(key=row) if owner < 0 else Selection((owner,), key=row)


def _around(table: str) -> Finder:
    """The row of something around the model, and the node in whose space it is."""

    def find(document: Document, row: int, now: Selection) -> Selection:
        del now
        marks = marks_of(document.model, document.neighbors)
        points = next(it for it in marks.values() if table in (it.table, it.line_table))
        point = row if table == points.table else int(points.lines[row, 0])
        node = int(points.nodes[point]) if point < len(points.nodes) else NO_NODE
        return Selection(() if node == NO_NODE else (node,), **{SELECTED[table]: row})

    return find


def _preferred(users: list[int], now: Selection) -> tuple[int, ...]:
    """Return the active node if it is among the users, else the first of them."""
    if now.node in users and now.node is not None:
        return (now.node,)
    return tuple(users[:1])


_FINDERS: Final[dict[str, Finder]] = {
    nodes.NODE.name: _node,
    slots.SLOT.name: _slot,
    batches.BATCH.name: _batch,
    triangles.TRIANGLE.name: _descriptor,
    FACE.name: _face,
    keys.KEY.name: _key,
    VERTICES: _vertex,
    DAMAGE: _node,
    **{table: _around(table) for table in SELECTED},
    **dict.fromkeys(STREAM_NAMES, _vertex),
}
_NODE_OF: Final[dict[str, Callable[[Document, int], int | None]]] = {
    **dict.fromkeys((nodes.NODE.name, DAMAGE, strings.TABLE, strings.NAME.name), lambda _, row: row),
    WORD.name: _node_of_word,
    keys.KEY.name: lambda document, row: _key(document, row, Selection()).node,
}
"""The node that a row of these tables belongs to."""
_BATCHES_OF: Final[dict[str, Callable[[Document, int], Collection[int]]]] = {
    slots.SLOT.name: batches_of_slot,
    batches.BATCH.name: lambda _, row: (row,),
    INDEX.name: _batches_of_index,
}
"""The batches that a row of these tables is or contains, or that contain it."""
