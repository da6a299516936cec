"""Control points, the controller and node damage follow the nodes of the model next to them.

Source: spec/field-notes.md 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from viewer.errors import UsageError
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.tables import BATCHES
from viewer.formats.neighbors.control import CHANNEL, NOT_DRIVEN
from viewer.formats.neighbors.control_points import NAME
from viewer.formats.neighbors.damage import NODE_DAMAGE
from viewer.formats.part import Part, find, walk
from viewer.formats.text import decode, until_nul
from viewer.formats.wear import MAX_ROWS
from viewer.model.edit.change import Change, change, refusal
from viewer.model.edit.draft import REMOVED, Draft, FrameMove, RowOrder, renumbered
from viewer.model.edit.geometry.slot_changes import SELECTORS, put_wear_rows
from viewer.model.edit.geometry.vertex_tables import refuse_terrain
from viewer.model.edit.nodes.node_edit import MOST as MOST_NODES
from viewer.model.edit.nodes.node_edit import NodeReference, ReferencedError, ReferringRows
from viewer.model.edit.rows.arrangement import Arrangement, NewRow
from viewer.model.edit.values import RowChoice
from viewer.model.mesh.reading import material_field, wear_rows_of
from viewer.translation import _

DAMAGE: Final = "damage"
"""The id of the kind of node damage."""
KINDS: Final = frozenset({DAMAGE, "control", "control_points"})


@change("follow-nodes", "follow the nodes of the model")
class FollowNodes(RowOrder, Change, frozen=True):
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

    clears_references: bool = False

    def apply(self, draft: Draft) -> None:
        """Write the numbers; raises `ReferencedError` if something refers to a removed node.

        Raises `UsageError` for any other payload than those next to a model, and for nodes that no model has.
        """
        if not 0 <= self.count <= MOST_NODES or len(self.order) > MOST_NODES:
            raise UsageError(_("a model has at most {limit} nodes", limit=MOST_NODES))
        for node in self.order:
            if node is not None and not 0 <= node < self.count:
                raise UsageError(_("there is no node {node}", node=node))
        if draft.kind.id not in KINDS:
            raise UsageError(_("does not number the nodes of a model: {kind}", kind=draft.kind.id))
        targets = self.targets
        lost = [it for it in references_in(draft.parts, self.count) if targets[it.node] == REMOVED]
        if lost and not self.clears_references:
            raise ReferencedError(lost)
        part = draft.part(NODE_DAMAGE.name) if draft.kind.id == DAMAGE else None
        if part is not None and part.count == self.count:  # one row for each node
            from viewer.model.edit.rows.row_tables import TABLES  # noqa: PLC0415 loads most formats

            items = tuple(NewRow() if node is None else node for node in self.order)
            table = TABLES[DAMAGE, NODE_DAMAGE.name]
            draft.splice(table.splices(draft, NODE_DAMAGE.name, Arrangement(part.count, items)))
        for start, rows in [*referring_rows(draft.parts, self.count)]:
            after = rows.renumbered(targets)
            if rows.table == CHANNEL.name:
                # Not removed: components know channels by their number.
                # With the flag a channel of no node is no error (K03).
                after["flags"][(after["node"] == rows.none) & rows.is_node] |= NOT_DRIVEN
            draft.write(start, after.tobytes())


def referring_rows(root: Part, count: int) -> Iterator[tuple[int, ReferringRows]]:
    """The tables of a payload whose rows refer to nodes of a model, each with its offset."""
    for path, part in walk(root):
        for it in part.record.fields if part.record else ():
            if it.refers_to == NODE.name and it.none is not None and part.rows is not None:
                rows = np.atleast_1d(np.asarray(part.rows))
                nodes = rows[it.name].astype(np.int64)
                is_node = (nodes >= 0) & (nodes < count)
                yield part.start, ReferringRows(path, rows, it.name, is_node, it.none)


def references_in(root: Part, count: int, payload: str = "") -> Iterator[NodeReference]:
    """All references of a payload to nodes of a model."""
    named = find(root, NAME.name)
    texts = named.rows["name"].tolist() if named and isinstance(named.rows, np.ndarray) else []
    names = [decode(until_nul(text)) for text in texts]
    for _ignored, rows in referring_rows(root, count):
        yield from rows.references(payload, names if named and len(rows.rows) == len(names) else ())


CONTROLLER: Final = "control"
STATES: Final = "states"


@change("follow-frames", "follow the moved frames of the model")
class FollowFrames(FrameMove, Change, frozen=True):
    """Let states and channels play the frames that they played before these were moved.

    If the keys of one node were moved, only the channels that drive it follow.
    """

    def apply(self, draft: Draft) -> None:
        """Write the frames; raises `UsageError` for anything but a controller."""
        self.check()
        channels = _rows(draft, CHANNEL.name)
        pairs = np.stack([channels["first"], channels["last"]], axis=1)
        # A channel plays frames of its node alone; states play those of all nodes.
        is_driven = True if self.node is None else (channels["node"] == self.node)[:, None]
        moved = np.where(is_driven, self._followed(pairs), pairs)
        channels["first"], channels["last"] = moved.astype(pairs.dtype).T
        states = _rows(draft, STATES)
        if self.node is None:
            for name in ("frames_a", "frames_b"):
                states[name] = self._followed(states[name])
        for table, rows in ((STATES, states), (CHANNEL.name, channels)):
            draft.write(draft.part(table).start, rows.tobytes())

    def _followed(self, pairs: Any) -> Any:
        """The new frames; those that stay keep their bytes."""
        old = pairs.astype(np.float64)
        new = self.pairs(old)
        # Compared before rounding to the stored type, so that frames that stay keep their bits.
        return np.where(new == old, pairs, new.astype(pairs.dtype))


@change("follow-durations", "stretch the durations of states with their frames")
class FollowDurations(FrameMove, Change, frozen=True):
    """Let states whose frames are stretched take longer, so that they play as many frames a second as before.

    To be made before the frames follow.
    """

    @np.errstate(invalid="ignore", over="ignore")  # what has no number stays as it is
    def apply(self, draft: Draft) -> None:
        """Write the milliseconds; raises `UsageError` for anything but a controller."""
        self.check()
        rows = _rows(draft, STATES)
        if self.node is None:
            stored = rows["milliseconds"]
            # How much longer each state becomes: its pair A, or B of a state that has no A; 1 for none
            a, b = (rows[name].astype(np.float64) for name in ("frames_a", "frames_b"))
            played = np.where((a < 0).any(axis=1)[:, None], b, a)
            old, new = (np.abs(it[:, 1] - it[:, 0]) for it in (played, self.pairs(played)))
            is_known = np.isfinite(old) & (old > 0) & (new > 0)
            scale = np.divide(new, old, out=np.ones_like(old), where=is_known)
            stretched = (stored * scale).astype(stored.dtype)
            is_stretched = (stored > 0) & (scale != 1) & np.isfinite(stretched)
            rows["milliseconds"] = np.where(is_stretched, stretched, stored)
        draft.write(draft.part(STATES).start, rows.tobytes())


def _rows(draft: Draft, table: str) -> Any:
    """A copy of the rows of a table of a controller."""
    if draft.kind.id != CONTROLLER:
        raise UsageError(_("is not a controller: {kind}", kind=draft.kind.id))
    return np.array(draft.part(table).rows)


@change("follow-wear", "follow the rows of the wear table")
class FollowWear(RowOrder, Change, frozen=True):
    """Give batches the new numbers of the rows of a wear table; numbers of no row stay.

    Parameters
    ----------
    count
        Rows that the wear table had.
    order
        The rows that it has, by the indices that they had; None for one that is new.
    """

    def apply(self, draft: Draft) -> None:
        """Write the selectors; raises `EditError` for a batch with a removed row."""
        if not 0 <= self.count <= MAX_ROWS:
            words = "{value} exceeds {low}..{high}"
            raise UsageError(_(words, value=self.count, low=0, high=MAX_ROWS))
        refuse_terrain(draft, BATCHES)
        batches = draft.model.batches
        field = material_field(batches, self.count, draft.reading.requested)
        old = wear_rows_of(batches, field)
        new = renumbered(old, self.targets)
        lost = np.flatnonzero(new == REMOVED).tolist()
        if lost:
            words = "row {row} of the wear table would be removed; batches with a removed row: {batches}"
            row, name, chosen = int(old[lost[0]]), SELECTORS[field][0], RowChoice.of(*lost)
            raise refusal(words, BATCH.name, lost[0], name, row=row, batches=chosen)
        put_wear_rows(draft, new, field, (self.count, len(self.order)))
