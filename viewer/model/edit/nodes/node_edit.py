"""Nodes of a draft left out, added and reordered, with all that is counted by node or refers to one.

What refers to nodes by their numbers are parents, rooms behind portals, points of the path graph, light
probes.

Source: spec/msh.md 2, 7, 12; spec/animation.md 7; spec/field-notes.md 2, 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import EditError, location
from viewer.formats.msh import path_graph, strings, tables
from viewer.formats.msh.batches import BATCH, FLAG_PORTAL
from viewer.formats.msh.keys import KEY, encode_quaternion
from viewer.formats.msh.nodes import NODE, NONE
from viewer.formats.msh.path_graph import LIGHT_PROBE, PATH_NODE
from viewer.formats.msh.strings import NAME_SIZE
from viewer.formats.msh.tracks import KeyTrack
from viewer.formats.record import Bytes, Rows
from viewer.formats.splice import same_bytes
from viewer.geometry.transforms import Indices, Mask
from viewer.model.edit.change import refusal
from viewer.model.edit.draft import REMOVED, Draft, renumbered, targets_of
from viewer.model.edit.nodes.rename_node import encoded_name
from viewer.model.edit.nodes.track_edit import TrackEdit
from viewer.model.edit.values import node_rows
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.reading import MaterialField, Reading
from viewer.translation import _


class NodeReference(Struct, frozen=True):
    """A row that refers to a node.

    Attributes
    ----------
    node
        The number of the node.
    table, row, field
        Where it is referred to.
    payload
        The name of the payload next to the model that has the row; empty for the model itself.
    name
        The name of the row, if it has one.
    """

    node: int
    table: str
    row: int | None
    field: str
    payload: str = ""
    name: str = ""

    @property
    def words(self) -> str:
        """The place: ``walker.cpt points[2].nodes (muzzle_l)``."""
        place = " ".join(filter(None, (self.payload, location(self.table, self.row, self.field))))
        return f"{place} ({self.name})" if self.name else place


class ReferencedError(EditError):
    """Nodes to which something refers would be removed.

    Parameters
    ----------
    references
        All of these references.
    names
        The names of the nodes of the model.

    Attributes
    ----------
    nodes
        Each of the nodes with what refers to it, in words.
    """

    def __init__(self, references: Sequence[NodeReference], names: Sequence[str] = ()) -> None:
        self.nodes = tuple(by_node(references, names))
        found = "; ".join(self.nodes)
        super().__init__(_("nodes to which something refers would be removed: {nodes}", nodes=found))
        self.references = tuple(references)


def by_node(references: Sequence[NodeReference], names: Sequence[str]) -> Iterator[str]:
    """Lines of the places that refer to each node: ``turret (walker.ctl channels[0].node)``."""
    for node in sorted({it.node for it in references}):
        label = names[node] if node < len(names) and names[node] else str(node)
        places = dict.fromkeys(it.words for it in references if it.node == node)
        yield f"{label} ({', '.join(places)})"


class ReferringRows(Struct, frozen=True, eq=False):
    """A table whose rows refer to nodes.

    Attributes
    ----------
    table, rows, field
        The rows, (n,), and the field that holds the numbers of nodes.
    is_node
        Which of these numbers are nodes, of the shape of the field in all rows.
    none
        The number that means no node.
    """

    table: str
    rows: Rows
    field: str
    is_node: Mask
    none: int

    def references(self, payload: str = "", names: Sequence[str] = ()) -> Iterator[NodeReference]:
        """All references; `names` are those of the rows."""
        nodes = self.rows[self.field]
        for place in map(tuple, np.argwhere(self.is_node).tolist()):
            row = int(place[0])
            name = names[row] if row < len(names) else ""
            yield NodeReference(int(nodes[place]), self.table, row, self.field, payload, name)

    def renumbered(self, targets: Indices) -> Rows:
        """The rows with new numbers; none for that of a removed node."""
        rows = self.rows.copy()
        old = rows[self.field].astype(np.int64)
        new = np.where(self.is_node, renumbered(old, targets), old)
        rows[self.field] = np.where(self.is_node & (new == REMOVED), self.none, new)
        return rows


def referring_tables(model: Model, reading: Reading) -> dict[int, ReferringRows]:
    """The tables of a model that refer to its nodes, by type.

    A table in which a row has a number that is neither a node nor none has another meaning, and is left out.
    """
    found: dict[int, ReferringRows] = {}
    batches, count = model.batches, len(model.nodes)
    if reading.material_field is MaterialField.FIELD:
        # On all other batches of the game the word is 0xFFFF (spec/field-notes.md 2).
        is_portal = (batches["flags"] & FLAG_PORTAL != 0) & (batches["opaque6"] < count)
        found[tables.BATCHES] = ReferringRows(BATCH.name, batches, "opaque6", is_portal, NONE)
    index = model.archive.find_type(tables.PATH_GRAPH)
    if index is not None:
        entry = model.archive.entry(index)
        graph = path_graph.decode(model.payload(tables.PATH_GRAPH), entry.attr1, entry.attr2)
        # Bytes that are left over, or points that are missing, say that the table is none: its numbers stay.
        if not graph.tail and len(graph.nodes) == entry.attr1:
            found[tables.PATH_GRAPH] = _of_field(PATH_NODE.name, graph.nodes, 0xFFFFFFFF, count)
    probes = model.rows(tables.LIGHT_PROBES)
    if model.has(tables.LIGHT_PROBES) and probes.nbytes == len(model.payload(tables.LIGHT_PROBES)):
        found[tables.LIGHT_PROBES] = _of_field(LIGHT_PROBE.name, probes, -1, count)
    return {table: it for table, it in found.items() if it.is_node.any()}


def references_of(model: Model, reading: Reading) -> Iterator[NodeReference]:
    """The references to nodes inside a model."""
    for table in referring_tables(model, reading).values():
        yield from table.references()


def _of_field(table: str, rows: Rows, none: int, count: int) -> ReferringRows:
    """Rows whose field ``node`` refers to nodes; to none if any of them refers to nothing."""
    nodes = rows["node"].astype(np.int64)
    is_node = (nodes >= 0) & (nodes < count)
    return ReferringRows(table, rows, "node", is_node & (is_node | (nodes == none)).all(), none)


def renumbered_tables(model: Model, reading: Reading, targets: Indices) -> dict[int, bytes]:
    """The tables that refer to nodes with other numbers, by type, of those that differ."""
    found = {}
    for table, it in referring_tables(model, reading).items():
        rows, data = it.renumbered(targets).tobytes(), bytes(model.payload(table))
        found[table] = rows + data[len(rows) :]
    return {table: data for table, data in found.items() if not same_bytes(data, model.payload(table))}


ADDED = -1
"""Number of a new node in an order of nodes."""
IDENTITY = (1, 0, 0, 0)
MOST = NONE
"""Most nodes that parents can name."""


class NewNode(NamedTuple):
    """A node that is added: its parent in the numbers of the draft, `NONE` for a root, and its name.

    The parent of a node that is added after all others may be one that is added before it.
    """

    parent: int = NONE
    name: str = ""


class NodeEdit:
    """The nodes of a draft, to be written in another order.

    Attributes
    ----------
    rows
        The nodes, (n,) `NODE`, to be changed; all references are those of the draft.
    """

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self.rows = node_rows(draft)
        if draft.model.variant is not Variant.MODEL:
            raise EditError(_("the nodes of a terrain are its grid"), table=NODE.name)

    @cached_property
    def tracks(self) -> TrackEdit | None:
        """The tracks of the nodes, to be changed; None for a model without tables for them.

        Raises `EditError` if its animation cannot be split into tracks.
        """
        model = self._draft.model
        return TrackEdit(self._draft) if model.has(tables.KEYS) and model.has(tables.FRAME_MAP) else None

    def write(
        self, order: Sequence[int], *, added: Sequence[NewNode] = (), clears_references: bool = False
    ) -> None:
        """Write nodes in an order of their indices; those that are not in it are removed.

        Each `ADDED` stands for the next of the new nodes, which has one key. Raises `EditError` if a parent
        would come after its child or the names cannot be read, and `ReferencedError` if something refers to a
        removed node, unless that is set to none.
        """
        count = len(self.rows)
        if len(order) > MOST:
            raise refusal("{count} nodes, at most {limit}", NODE.name, count=len(order), limit=MOST)
        targets = targets_of(count, order)
        # New rows have the numbers after all others until the order is applied.
        new = NODE.new(len(added))
        new["parent"], new["map_start"], new["slots"] = [it.parent for it in added], NONE, NONE
        numbers = iter(range(count, count + len(added)))
        picked = [next(numbers) if node == ADDED else node for node in order]
        rows = np.concatenate([self.rows, new])[picked]
        self._renumber_parents(rows, order, targets)
        self._check_references(targets, is_cleared=clears_references)
        model, reading = self._draft.model, self._draft.reading.reading
        others: dict[int, Bytes] = {
            **renumbered_tables(model, reading, targets),
            **self._names(picked, added),
        }
        # Files elsewhere may number the nodes too, and nothing here knows them.
        if (targets != np.arange(len(targets))).any():
            words = "nodes are renumbered; files elsewhere that refer to them by number are not changed"
            note = _(words)
            if note not in self._draft.notes:
                self._draft.notes.append(note)
        self._write(rows, order, others)
        self._draft.moves.note_rows(NODE.name, count, [None if node == ADDED else node for node in order])

    def _check_references(self, targets: Indices, *, is_cleared: bool) -> None:
        """Refuse references to removed nodes, or let what is next to the model be cleared like them."""
        draft = self._draft
        references = references_of(draft.model, draft.reading.reading)
        found = [it for it in references if targets[it.node] == REMOVED]
        if found and not is_cleared:
            # In the numbers and names from before all changes, which the user knows.
            known = draft.moves.nodes.order if draft.moves.nodes else range(len(targets))
            before = [known[it.node] for it in found]
            names = draft.first_model.node_names(from_records=draft.reading.reading.has_name_records)
            pairs = zip(found, before, strict=True)
            raise ReferencedError(
                [replace(it, node=it.node if at is None else at) for it, at in pairs], names
            )
        draft.moves.clears_references |= is_cleared

    def _renumber_parents(self, rows: Rows, order: Sequence[int], targets: Indices) -> None:
        """Give rows the new numbers of their parents, which come first unless they did not before."""
        old = rows["parent"].astype(np.int64)
        is_known = old < len(targets)
        new = renumbered(old, targets)
        # Damaged files have parents after their children; such a pair stays as it is, only new ones are
        # refused.
        was_late = is_known & (old >= np.array(order)) & (np.array(order) != ADDED)
        is_late = is_known & (new >= np.arange(len(rows))) & ~was_late
        for row in np.flatnonzero(is_late)[:1].tolist():
            node = order[row] if order[row] != ADDED else row
            words = "its parent {parent} would come after it"
            raise refusal(words, NODE.name, node, "parent", parent=int(old[row]))
        rows["parent"] = np.where(new == REMOVED, NONE, new)

    def _names(self, order: Sequence[int], added: Sequence[NewNode]) -> dict[int, Bytes]:
        """The names and labels in the new order, in which numbers after the last are those of new nodes."""
        model, count = self._draft.model, len(self.rows)
        in_records = self._draft.reading.reading.has_name_records
        raw = [encoded_name(it.name, count + at, in_records=in_records) for at, it in enumerate(added)]
        found: dict[int, Bytes] = {}
        records = bytes(model.payload(tables.NAME_RECORDS))
        if len(records) == NAME_SIZE * count:
            # Names are in the records or in the texts, by the reading; the other table gets an empty row.
            own = [(it if in_records else b"").ljust(NAME_SIZE, b"\0") for it in raw]
            cut = [records[at : at + NAME_SIZE] for at in range(0, len(records), NAME_SIZE)]
            cut += own
            found[tables.NAME_RECORDS] = b"".join(cut[node] for node in order)
        if model.has(tables.STRINGS):
            stored = strings.decode(model.payload(tables.STRINGS), model.record_count)
            known = len(stored.rows)
            if known < count:
                raise refusal("only {count} texts can be read", strings.TABLE, known, count=known)
            texts = [row.tobytes() for row in stored.rows[:count]]
            texts += [strings.build([b"" if in_records else it]) for it in raw]
            found[tables.STRINGS] = b"".join(texts[node] for node in order) + stored.tail
        if any(raw) and (tables.NAME_RECORDS if in_records else tables.STRINGS) not in found:
            raise EditError(_("has no table for names"), table=NODE.name)
        return found

    def _write(self, rows: Rows, order: Sequence[int], others: dict[int, Bytes]) -> None:
        tracks = self.tracks
        if tracks is None:
            tail = bytes(self._draft.model.payload(tables.NODES)[self.rows.nbytes :])
            self._draft.replace_tables({tables.NODES: rows.tobytes() + tail, **others})
            return
        tracks.nodes, tracks.tables = rows, others
        key = KEY.new(1)  # a new node is at the origin of its parent, without a rotation
        key["quaternion"] = encode_quaternion([IDENTITY], self._draft.reading.reading.quaternion_order)
        tracks.tracks = [KeyTrack(key) if node == ADDED else tracks.tracks[node] for node in order]
        tracks.write()
