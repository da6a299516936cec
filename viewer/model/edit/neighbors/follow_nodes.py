"""Control points, the controller and node damage follow the nodes of the model next to them.

Source: spec/field-notes.md 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from viewer.errors import EditError, UsageError
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.tables import BATCHES
from viewer.formats.neighbors.control import CHANNEL
from viewer.formats.neighbors.control_points import NAME
from viewer.formats.neighbors.damage import NODE_DAMAGE
from viewer.formats.part import Part, find, walk
from viewer.formats.record import Rows
from viewer.formats.text import decode, until_nul
from viewer.formats.wear import MAX_ROWS
from viewer.model.edit.draft import Draft, FrameMove, Times
from viewer.model.edit.geometry.vertex_tables import put, refuse_terrain, rows_of
from viewer.model.edit.nodes.node_edit import MOST as MOST_NODES
from viewer.model.edit.nodes.node_edit import REMOVED, NodeReference, ReferencedError, ReferringRows, Targets
from viewer.model.edit.rows import row_tables
from viewer.model.edit.rows.arrangement import Arrangement, NewRow
from viewer.model.edit.rows.row_tables import RowTable
from viewer.model.edit.values import RowChoice
from viewer.model.mesh.draws import Indices
from viewer.model.mesh.reading import MaterialField, material_field, wear_rows_of
from viewer.translation import Sentence

DAMAGE: Final = "damage"
"""The id of the kind of node damage."""
KINDS: Final = frozenset({DAMAGE, "control", "control_points"})


@dataclass(frozen=True, slots=True)
class FollowNodes:
    """Renumber what refers to the nodes of a model in a payload next to it.

    Parameters
    ----------
    count
        Nodes that the model had.
    order
        The nodes that it has, by the indices that they had; None for one that is new.
    clears_references
        Whether what refers to a removed node refers to none then; else that is refused.
    """

    count: int
    order: tuple[int | None, ...]
    clears_references: bool = False

    @property
    def words(self) -> str:
        """What it does."""
        return Sentence("follow the nodes of the model")

    def apply(self, draft: Draft) -> None:
        """Write the numbers; raises `ReferencedError` if something refers to a removed node.

        Raises `UsageError` for any other payload than those next to a model, and for nodes that no model has.
        """
        self._check()
        if draft.kind.id not in KINDS:
            raise UsageError(Sentence("does not number the nodes of a model: {kind}", kind=draft.kind.id))
        targets: Targets = np.full(self.count, REMOVED, np.int64)
        for row, node in enumerate(self.order):
            if node is not None:
                targets[node] = row
        lost = [it for it in references_in(draft.parts, self.count) if targets[it.node] == REMOVED]
        if lost and not self.clears_references:
            raise ReferencedError(lost)
        if draft.kind.id == DAMAGE:
            self._rearrange(draft)
        for start, rows in [*referring_rows(draft.parts, self.count)]:
            draft.write(start, rows.renumbered(targets).tobytes())

    def _check(self) -> None:
        """Refuse what is not an order of the nodes of models."""
        if not 0 <= self.count <= MOST_NODES or len(self.order) > MOST_NODES:
            raise UsageError(Sentence("a model has at most {limit} nodes", limit=MOST_NODES))
        for node in self.order:
            if node is not None and not 0 <= node < self.count:
                raise UsageError(Sentence("there is no node {node}", node=node))

    def _rearrange(self, draft: Draft) -> None:
        """Rearrange the rows of node damage, if there was one per node."""
        part = draft.part(NODE_DAMAGE.name)
        table = row_tables.of(DAMAGE, NODE_DAMAGE.name)
        if part.count == self.count and isinstance(table, RowTable):
            items = tuple(NewRow() if node is None else node for node in self.order)
            draft.splice(table.splices(draft, NODE_DAMAGE.name, Arrangement(part.count, items)))


def referring_rows(root: Part, count: int) -> Iterator[tuple[int, ReferringRows]]:
    """Yield the tables of a payload whose rows refer to nodes of a model, each with its offset."""
    for path, part in walk(root):
        for it in part.record.fields if part.record else ():
            if it.refers_to == NODE.name and it.none is not None and isinstance(part.rows, np.ndarray):
                nodes = part.rows[it.name].astype(np.int64)
                is_node = (nodes >= 0) & (nodes < count)
                yield part.start, ReferringRows(path, part.rows, it.name, is_node, it.none)


def references_in(root: Part, count: int, payload: str = "") -> Iterator[NodeReference]:
    """Yield all references of a payload to nodes of a model."""
    named = find(root, NAME.name)
    texts = named.rows["name"].tolist() if named and isinstance(named.rows, np.ndarray) else []
    names = [decode(until_nul(text)) for text in texts]
    for _, rows in referring_rows(root, count):
        yield from rows.references(payload, names if named and len(rows.rows) == len(names) else ())


CONTROLLER: Final = "control"
STATES: Final = "states"


@dataclass(frozen=True, slots=True)
class FollowFrames(FrameMove):
    """Let states and channels play the frames that they played before these were moved.

    If the keys of one node were moved, only the channels that drive it follow.
    """

    @property
    def words(self) -> str:
        """What it does."""
        return Sentence("follow the moved frames of the model")

    def apply(self, draft: Draft) -> None:
        """Write the frames; raises `UsageError` for anything but a controller."""
        self.check()
        channels = _rows(draft, CHANNEL.name)
        pairs = np.stack([channels["first"], channels["last"]], axis=1)
        moved = np.where(self._is_driven(channels)[:, None], self._followed(pairs), pairs)
        channels["first"], channels["last"] = moved.astype(pairs.dtype).T
        states = _rows(draft, STATES)
        if self.node is None:
            for name in ("frames_a", "frames_b"):
                states[name] = self._followed(states[name])
        for table, rows in ((STATES, states), (CHANNEL.name, channels)):
            draft.write(draft.part(table).start, rows.tobytes())

    def _is_driven(self, channels: Any) -> Any:
        return np.full(len(channels), fill_value=True) if self.node is None else channels["node"] == self.node

    def _followed(self, pairs: Any) -> Any:
        """The new frames; those that stay keep their bytes."""
        old = pairs.astype(np.float64)
        new = self.pairs(old)
        return np.where(new == old, pairs, new.astype(pairs.dtype))


@dataclass(frozen=True, slots=True)
class FollowDurations(FrameMove):
    """Let states whose frames are stretched take longer, so that they play as many frames a second as before.

    To be made before the frames follow.
    """

    @property
    def words(self) -> str:
        """What it does."""
        return Sentence("stretch the durations of states with their frames")

    @np.errstate(invalid="ignore", over="ignore")  # what has no number stays as it is
    def apply(self, draft: Draft) -> None:
        """Write the milliseconds; raises `UsageError` for anything but a controller."""
        self.check()
        rows = _rows(draft, STATES)
        if self.node is None:
            stored = rows["milliseconds"]
            scale = self._scales(rows)
            stretched = (stored * scale).astype(stored.dtype)
            is_stretched = (stored > 0) & (scale != 1) & np.isfinite(stretched)
            rows["milliseconds"] = np.where(is_stretched, stretched, stored)
        draft.write(draft.part(STATES).start, rows.tobytes())

    def _scales(self, states: Any) -> Times:
        """How much longer each state becomes: its pair A, or B of a state that has no A; 1 for none."""
        a, b = (states[name].astype(np.float64) for name in ("frames_a", "frames_b"))
        played = np.where((a < 0).any(axis=1)[:, None], b, a)
        old, new = (np.abs(it[:, 1] - it[:, 0]) for it in (played, self.pairs(played)))
        is_known = np.isfinite(old) & (old > 0) & (new > 0)
        return np.divide(new, old, out=np.ones_like(old), where=is_known)


def _rows(draft: Draft, table: str) -> Any:
    """A copy of the rows of a table of a controller."""
    if draft.kind.id != CONTROLLER:
        raise UsageError(Sentence("is not a controller: {kind}", kind=draft.kind.id))
    return np.array(draft.part(table).rows)


@dataclass(frozen=True, slots=True)
class FollowWear:
    """Give batches the new numbers of the rows of a wear table; numbers of no row stay.

    Parameters
    ----------
    count
        Rows that the wear table had.
    order
        The rows that it has, by the indices that they had; None for one that is new.
    """

    count: int
    order: tuple[int | None, ...]

    @property
    def words(self) -> str:
        """What it does."""
        return Sentence("follow the rows of the wear table")

    def apply(self, draft: Draft) -> None:
        """Write the selectors; raises `EditError` for a batch with a removed row."""
        if not 0 <= self.count <= MAX_ROWS:
            raise UsageError(
                Sentence("{value} exceeds {low}..{high}", value=self.count, low=0, high=MAX_ROWS)
            )
        refuse_terrain(draft, BATCHES)
        rows = rows_of(draft, BATCHES)
        field = material_field(rows, self.count, draft.reading.requested)
        old = wear_rows_of(rows, field)
        new = self._targets(old)
        name, limit = ("material", 0xFFFF) if field is MaterialField.SEED else ("opaque4", 0xFF)
        self._refuse_removed(old, new, name)
        for row in np.flatnonzero((new > limit) & (new != old))[:1].tolist():
            message = Sentence("{value} exceeds {low}..{high}", value=int(new[row]), low=0, high=limit)
            raise EditError(message, table=BATCH.name, index=row, field=name)
        rows[name] = new if field is MaterialField.SEED else rows[name] & 0xFF00 | new
        if (new != old).any():
            self._refuse_other_field(draft, rows, field)
            put(draft, BATCHES, rows)

    def _targets(self, old: Indices) -> Indices:
        """The new row of each batch, `REMOVED` for one that is not there any more."""
        targets = np.full(self.count, REMOVED, np.int64)
        for row, source in enumerate(self.order):
            if source is not None and 0 <= source < self.count:
                targets[source] = row
        is_row = old < self.count
        return np.where(is_row, targets[np.where(is_row, old, 0)], old) if self.count else old

    def _refuse_removed(self, old: Indices, new: Indices, field: str) -> None:
        lost = np.flatnonzero(new == REMOVED).tolist()
        if lost:
            message = Sentence(
                "row {row} of the wear table would be removed; batches with a removed row: {batches}",
                row=int(old[lost[0]]),
                batches=RowChoice.of(*lost).shown,
            )
            raise EditError(message, table=BATCH.name, index=lost[0], field=field)

    def _refuse_other_field(self, draft: Draft, rows: Rows, field: MaterialField) -> None:
        """Raise `EditError` if the rows would be read from another field than before, and be others."""
        now = material_field(rows, len(self.order), draft.reading.requested)
        if (wear_rows_of(rows, now) != wear_rows_of(rows, field)).any():
            message = Sentence("then another field would be read as the material; choose the reading first")
            raise EditError(message, table=BATCH.name)
