"""Nodes of a draft left out, added and reordered, with everything that is counted by node.

Source: spec/msh.md 2, 7, 12; spec/animation.md 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from viewer.errors import EditError
from viewer.formats.msh import strings
from viewer.formats.msh.keys import KEY, encode_quaternion
from viewer.formats.msh.nodes import NODE, NONE
from viewer.formats.msh.strings import NAME_SIZE
from viewer.formats.msh.tables import FRAME_MAP, KEYS, NAME_RECORDS, NODES, STRINGS
from viewer.formats.msh.tracks import Track
from viewer.formats.record import Bytes, Rows
from viewer.model.edit.draft import Draft
from viewer.model.edit.keys.track_edit import TrackEdit
from viewer.model.edit.node_choice import node_rows
from viewer.model.edit.nodes.references import (
    REMOVED,
    ReferencedError,
    Targets,
    references_of,
    renumbered,
)
from viewer.model.edit.nodes.rename_node import encoded_name
from viewer.model.mesh.model import Variant
from viewer.translation import Sentence

ADDED = -1
"""In an order of nodes: a new one."""
IDENTITY = (1, 0, 0, 0)
MOST = NONE
"""Most nodes that parents can name."""


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
            raise EditError(Sentence("the nodes of a terrain are its grid"), table=NODE.name)

    @cached_property
    def tracks(self) -> TrackEdit | None:
        """The tracks of the nodes, to be changed; None for a model without tables for them.

        Raises `EditError` if its animation cannot be split into tracks.
        """
        model = self._draft.model
        return TrackEdit(self._draft) if model.has(KEYS) and model.has(FRAME_MAP) else None

    def write(
        self, order: Sequence[int], *, parent: int = NONE, name: str = "", clears_references: bool = False
    ) -> None:
        """Write nodes in an order of their indices; those that are not in it are removed.

        `ADDED` stands for a new node with one key, of a `name`, under `parent` in the numbers of the draft.
        Raises `EditError` if a parent would come after its child or the names cannot be read, and
        `ReferencedError` if something refers to a removed node, unless that is set to none.
        """
        count = len(self.rows)
        if len(order) > MOST:
            message = Sentence("{count} nodes, at most {limit}", count=len(order), limit=MOST)
            raise EditError(message, table=NODE.name)
        targets: Targets = np.full(count, REMOVED, np.int64)
        for row, node in enumerate(order):
            if node != ADDED:
                targets[node] = row
        rows = np.concatenate([self.rows, _new_row(parent)])[list(order)]
        self._renumber_parents(rows, order, targets)
        self._check_references(targets, is_cleared=clears_references)
        model, reading = self._draft.model, self._draft.reading.reading
        tables: dict[int, Bytes] = {**renumbered(model, reading, targets), **self._names(order, name)}
        self._note(targets)
        self._write(rows, order, tables)
        known = self._draft.node_order or tuple(range(count))
        self._draft.node_order = tuple(None if node == ADDED else known[node] for node in order)

    def _check_references(self, targets: Targets, *, is_cleared: bool) -> None:
        """Refuse references to removed nodes, or let what is next to the model be cleared like them."""
        draft = self._draft
        references = references_of(draft.model, draft.reading.reading)
        found = [it for it in references if targets[it.node] == REMOVED]
        if found and not is_cleared:
            known = draft.node_order or range(len(targets))
            before = [known[it.node] for it in found]
            names = draft.first_model.node_names(from_records=draft.reading.reading.has_name_records)
            pairs = zip(found, before, strict=True)
            raise ReferencedError(
                [replace(it, node=it.node if at is None else at) for it, at in pairs], names
            )
        draft.clears_references |= is_cleared

    def _renumber_parents(self, rows: Rows, order: Sequence[int], targets: Targets) -> None:
        """Give rows the new numbers of their parents, which come first unless they did not before."""
        old = rows["parent"].astype(np.int64)
        is_known = old < len(targets)
        new = np.where(is_known, targets[np.where(is_known, old, 0)], old)
        was_late = is_known & (old >= np.array(order)) & (np.array(order) != ADDED)
        is_late = is_known & (new >= np.arange(len(rows))) & ~was_late
        for row in np.flatnonzero(is_late)[:1].tolist():
            node = order[row] if order[row] != ADDED else row
            message = Sentence("its parent {parent} would come after it", parent=int(old[row]))
            raise EditError(message, table=NODE.name, index=node, field="parent")
        rows["parent"] = np.where(new == REMOVED, NONE, new)

    def _names(self, order: Sequence[int], name: str) -> dict[int, Bytes]:
        """The names and labels in the new order."""
        model, count = self._draft.model, len(self.rows)
        in_records = self._draft.reading.reading.has_name_records
        raw = encoded_name(name, len(self.rows), in_records=in_records)
        found: dict[int, Bytes] = {}
        records = bytes(model.payload(NAME_RECORDS))
        if len(records) == NAME_SIZE * count:
            own = (raw if in_records else b"").ljust(NAME_SIZE, b"\0")
            cut = [records[at : at + NAME_SIZE] for at in range(0, len(records), NAME_SIZE)]
            found[NAME_RECORDS] = b"".join([*cut, own][node] for node in order)
        if model.has(STRINGS):
            stored = strings.decode(model.payload(STRINGS), model.record_count)
            if len(stored.rows) < count:
                message = Sentence("only {count} texts can be read", count=len(stored.rows))
                raise EditError(message, table=strings.TABLE, index=len(stored.rows))
            texts = [row.tobytes() for row in stored.rows[:count]]
            texts.append(strings.build([b"" if in_records else raw]))
            found[STRINGS] = b"".join(texts[node] for node in order) + stored.tail
        if raw and (NAME_RECORDS if in_records else STRINGS) not in found:
            raise EditError(Sentence("has no table for names"), table=NODE.name)
        return found

    def _note(self, targets: Targets) -> None:
        """Tell that other files number the nodes too."""
        if (targets != np.arange(len(targets))).any():
            note = Sentence(
                "nodes are renumbered; files elsewhere that refer to them by number are not changed"
            )
            if note not in self._draft.notes:
                self._draft.notes.append(note)

    def _write(self, rows: Rows, order: Sequence[int], tables: dict[int, Bytes]) -> None:
        tracks = self.tracks
        if tracks is None:
            tail = bytes(self._draft.model.payload(NODES)[self.rows.nbytes :])
            self._draft.replace_tables({NODES: rows.tobytes() + tail, **tables})
            return
        tracks.nodes, tracks.tables = rows, tables
        tracks.tracks = [Track(self._new_key()) if node == ADDED else tracks.tracks[node] for node in order]
        tracks.write()

    def _new_key(self) -> Rows:
        """A key at the origin of the parent, without a rotation."""
        key = KEY.new(1)
        key["quaternion"] = encode_quaternion([IDENTITY], self._draft.reading.reading.quaternion_order)
        return key


def _new_row(parent: int) -> Rows:
    row = NODE.new(1)
    row["parent"], row["map_start"], row["slots"] = parent, NONE, NONE
    return row
