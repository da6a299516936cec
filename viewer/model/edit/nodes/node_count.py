"""Nodes added, removed, reordered and moved under another parent, and cells of their slot matrix.

Source: spec/msh.md 2, 10, 12; spec/animation.md 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from viewer.errors import EditError
from viewer.formats.msh.keys import KEY, QuaternionOrder, encode_quaternion
from viewer.formats.msh.nodes import GROUPS, LODS, NODE, NONE
from viewer.formats.msh.tables import NODES
from viewer.formats.msh.tracks import MAX_FRAMES, KeyTrack
from viewer.formats.record import Rows
from viewer.geometry.transforms import Matrix, nearest_rotation
from viewer.model.edit.change import Change, change, refusal
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.vertex_tables import put
from viewer.model.edit.nodes.node_edit import ADDED, NewNode, NodeEdit
from viewer.model.edit.nodes.track_edit import TrackEdit
from viewer.model.edit.typed_words import NAME_WORD, NODE_WORD, PARENT_WORD, Typed, Word, value_or_none
from viewer.model.edit.values import NodeChoice, node_of, node_rows
from viewer.model.mesh.pose.animation import Animation
from viewer.model.mesh.pose.interpolation import interpolate, matrices
from viewer.model.mesh.pose.skeleton import ROOT, Skeleton
from viewer.translation import _

MOST_AT_ONCE: Final = 4096
"""Frames that are sampled together."""
SAME: Final = 1e-6
"""Difference of two poses up to which nothing has to be changed: of rotations, and relative of positions."""
# Rotations are stored in steps of 1/32767: some 30 of these.
NEAR: Final = 1e-3
"""Difference of two poses up to which a key between two others is not needed."""


def keep_pose(draft: Draft, edit: TrackEdit, node: int, parent: int) -> None:
    """Change the track of a node so that it stays where it is under another parent, `ROOT` for none.

    If the old and the new parent move differently, the node gets keys where its motion bends; keys are at
    whole frames, so between two of them it may deviate.
    Raises `EditError` if a matrix has no inverse.
    """
    moves = _Moves(draft, node, parent)
    track = edit.tracks[node]
    own = track.keys["time"].tolist() if track.is_animated else [0.0]
    bends = sorted({*own, *moves.bends()})
    if not moves.is_same(bends):
        if moves.is_rigid(bends):
            edit.tracks[node] = replace(track, keys=moves.keys(own, track.keys))
        else:
            edit.tracks[node] = moves.track(bends)


class _Moves:
    """The matrices of a node in its old and in its new parent, by time."""

    def __init__(self, draft: Draft, node: int, parent: int) -> None:
        model = draft.model
        self._order: QuaternionOrder = draft.reading.reading.quaternion_order
        self._skeleton = Skeleton(model)
        self._animation = Animation(model, self._skeleton, self._order)
        self._node, self._old, self._new = node, int(self._skeleton.parents[node]), parent
        # By time; the frames of the model are sampled at once, times between them when they are needed.
        self._known: dict[float, tuple[Matrix, Matrix]] = {}
        self._sample([*range(min(model.frame_count, MOST_AT_ONCE))])

    def _sample(self, times: Sequence[float]) -> None:
        """Find out where the node is in both parents at times."""
        at = np.array(times, np.float32)
        old, new = (self._world(parent, at) for parent in (self._old, self._new))
        try:
            relative = np.linalg.inv(new) @ old
        except np.linalg.LinAlgError:
            words = "the pose of the parent {parent} cannot be inverted"
            raise refusal(words, NODE.name, self._node, "parent", parent=self._new) from None
        poses = relative @ self._local(self._node, at)
        self._known.update(zip(map(float, times), zip(relative, poses, strict=True), strict=True))

    def _world(self, node: int, times: npt.NDArray[np.float32]) -> Matrix:
        """``world_from_node`` at times, (t, 4, 4); the identity for `ROOT`."""
        world = np.tile(np.eye(4), (len(times), 1, 1))
        while node != ROOT:
            world = self._local(node, times) @ world
            node = int(self._skeleton.parents[node])
        return world

    def _local(self, node: int, times: npt.NDArray[np.float32]) -> Matrix:
        sample = self._animation.sample_nodes(np.full(len(times), node), times)
        return matrices(sample.quaternion, sample.position).astype(np.float64)

    def _pose(self, time: float) -> tuple[Matrix, Matrix]:
        """``new_parent_from_old_parent`` and ``new_parent_from_node`` at a time."""
        if time not in self._known:
            self._sample([time])
        return self._known[time]

    def bends(self) -> Iterator[float]:
        """The times of keys of the parents, at which they change how they move."""
        for start in (self._old, self._new):
            node = start
            while node != ROOT:
                keys = self._animation.track(node)
                times = self._animation.key_times(node).tolist() if len(keys) > 1 else []
                # A key of the node can only be at a whole frame, wherever those of its parents are.
                yield from (it for it in times if it == int(it) and 0 <= it < MAX_FRAMES)
                node = int(self._skeleton.parents[node])

    def is_same(self, times: Sequence[float]) -> bool:
        """Whether the old and the new parent are always at the same place."""
        return all(_is_near(self._pose(time)[0], np.eye(4), SAME) for time in times)

    def is_rigid(self, times: Sequence[float]) -> bool:
        """Whether the old parent does not move in the new one, at times and between them."""
        # Between keys too: two parents may agree at each key and go there on different ways.
        between = [(first + last) / 2 for first, last in pairwise(times)]
        for start in range(0, len(between), MOST_AT_ONCE):
            self._sample(between[start : start + MOST_AT_ONCE])
        first, *others = (self._pose(time)[0] for time in (*times, *between))
        return all(_is_near(other, first, SAME) for other in others)

    def keys(self, times: Sequence[float], rows: Rows) -> Rows:
        """Rows of which the last have the pose in the new parent at times."""
        made = rows.copy()
        # The last ones: a node that is not animated has its pose in its last key (spec/animation.md 4).
        for row, time in enumerate(times, len(rows) - len(times)):
            quaternion, made["position"][row] = self._decoded(time)
            made["quaternion"][row] = encode_quaternion(quaternion[None], self._order)[0]
        return made

    def track(self, times: Sequence[float]) -> KeyTrack:
        """A track with keys at times, and with keys between them where its motion is not linear."""
        dense = [times[0]]
        for first, last in pairwise(times):
            dense += [*self._between(first, last), last]
        rows = KEY.new(len(dense))
        rows["time"] = dense
        return KeyTrack(self.keys(dense, rows), is_animated=len(dense) > 1)

    def _between(self, first: float, last: float) -> Iterator[float]:
        """The frames between two keys at which a key is needed."""
        # The motion is halved until each half is linear within NEAR: a swing over 64 frames needs some keys,
        # not 64.
        middle = float((first + last) // 2)
        if not first < middle < last:
            return
        quaternions, positions = zip(*(self._decoded(time) for time in (first, last)), strict=True)
        part = np.array([(middle - first) / (last - first)], np.float32)
        turned = interpolate(quaternions[0][None], quaternions[1][None], part)
        position = positions[0] + (positions[1] - positions[0]) * part
        if not _is_near(matrices(turned, position[None])[0], self._pose(middle)[1], NEAR):
            yield from self._between(first, middle)
            yield middle
            yield from self._between(middle, last)

    def _decoded(self, time: float) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """w, x, y, z (4,) and position (3,) of the node in its new parent."""
        matrix = self._pose(time)[1]
        # Keys store the inverse rotation (spec/animation.md 4): the conjugate of a unit quaternion.
        turned = nearest_rotation(matrix) * (1, -1, -1, -1)
        return turned.astype(np.float32), matrix[:3, 3].astype(np.float32)


def _is_near(one: npt.NDArray[np.floating], other: npt.NDArray[np.floating], limit: float) -> bool:
    turned, moved = (np.abs(one - other)[:3, columns].max() for columns in (slice(3), 3))
    return bool(turned <= limit and moved <= limit * max(1.0, float(np.abs(other[:3, 3]).max())))


@change(
    "add-node",
    "add node {name!r} under {parent}",
    typed=Typed(
        "add a node that shows nothing, after the others; PARENT may be none", (NAME_WORD, PARENT_WORD)
    ),
    icon="plus",
    menu={"add_node": _("Add a part under it")},
    parent="add node {name!r}",
)
class AddNode(Change, frozen=True):
    """Add a node that shows nothing, at the origin of its parent.

    Parameters
    ----------
    name
        Its name; empty for none.
    parent
        Index or name; None for a root.
    index
        Where it is inserted among the nodes, after its parent; None for after the last, so that no other node
        gets another number.
    """

    name: str = ""
    parent: NodeChoice | None = None
    index: int | None = None

    def apply(self, draft: Draft) -> None:
        """Insert the node, its track and its name; raises `EditError` like `NodeEdit.write`."""
        parent = NONE if self.parent is None else node_of(draft, self.parent)
        edit = NodeEdit(draft)
        count = len(edit.rows)
        index = count if self.index is None else self.index
        if not 0 <= index <= count:
            raise refusal("a node is inserted at 0..{count}", NODE.name, index, count=count)
        order = [*range(count)]
        order.insert(index, ADDED)
        edit.write(order, added=[NewNode(parent, self.name)])

    @property
    def is_joined(self) -> bool:
        """Whether the new node needs no name and changes no number of those before it."""
        return self.index is None and not isinstance(self.parent, str)

    @classmethod
    def apply_joined(cls, draft: Draft, changes: Sequence[Change]) -> None:
        """Append the nodes at once: each alone writes all tables, 2,000 of them for 40 s."""
        edit = NodeEdit(draft)
        count, added = len(edit.rows), list[NewNode]()
        for it in changes:
            if not isinstance(it, cls):
                raise TypeError(it)
            parent = it.parent if isinstance(it.parent, int) else NONE
            if it.parent is not None and not 0 <= parent < count + len(added):
                raise refusal("there are {count} nodes", NODE.name, parent, count=count + len(added))
            added.append(NewNode(parent, it.name))
        edit.write([*range(count), *[ADDED] * len(added)], added=added)


@change(
    "remove-node",
    "remove node {node} and all nodes under it",
    typed=Typed("remove a node; its slots stay", (NODE_WORD,), option="--remove"),
    icon="trash",
    menu={"remove_node": _("Remove the part"), "remove_below": _("Remove it with all children")},
    with_children="remove node {node}",
)
class RemoveNode(Change, frozen=True):
    """Remove a node with its track and its name; its slots stay, and no longer belong to it.

    Parameters
    ----------
    node
        Index or name.
    with_children
        Whether all nodes under it are removed too; else its children move under its parent and keep
        their pose in the model.
    clears_references
        Whether what refers to the nodes refers to none then, also next to the model; else that is refused.
    """

    node: NodeChoice
    with_children: bool = False
    clears_references: bool = False

    def apply(self, draft: Draft) -> None:
        """Remove the nodes; raises `EditError` for the last node, and like `NodeEdit.write`."""
        node = node_of(draft, self.node)
        skeleton = Skeleton(draft.model)
        edit = NodeEdit(draft)
        removed = {node}
        if self.with_children:
            removed.update(np.flatnonzero(skeleton.below(node)).tolist())
        else:
            # Its children go under its parent and stay where they are.
            parent = int(skeleton.parents[node])
            children = np.flatnonzero(edit.rows["parent"] == node).tolist()
            for child in children:
                # A child in a cycle is shown as a root, and has no pose under the node that could be kept.
                if child != node and skeleton.parents[child] == node and edit.tracks is not None:
                    keep_pose(draft, edit.tracks, child, parent)
                edit.rows["parent"][child] = NONE if parent == ROOT else parent
        if len(removed) == len(edit.rows):
            raise EditError(_("a model needs a node"), table=NODE.name, index=node)
        kept = [it for it in range(len(edit.rows)) if it not in removed]
        edit.write(kept, clears_references=self.clears_references)


@change("reorder-nodes", "reorder the nodes: {order}")
class ReorderNodes(Change, frozen=True):
    """Put the nodes in another order.

    Parameters
    ----------
    order
        All indices, in their new order; parents before their children.
    """

    order: tuple[int, ...]

    def apply(self, draft: Draft) -> None:
        """Write the nodes; raises `EditError` unless all are named once, and like `NodeEdit.write`."""
        edit = NodeEdit(draft)
        if sorted(self.order) != [*range(len(edit.rows))]:
            raise refusal("an order names each of the {count} nodes once", NODE.name, count=len(edit.rows))
        if [*self.order] != sorted(self.order):
            edit.write(self.order)


@change(
    "parent",
    "move node {node} under {parent}",
    typed=Typed("set the parent of a node, or none", (NODE_WORD, PARENT_WORD)),
    parent="make node {node} a root",
)
class SetParent(Change, frozen=True):
    """Move a node under another parent.

    Parameters
    ----------
    node
        Index or name.
    parent
        Index or name; None for a root.
    keeps_pose
        Whether the node stays where it is in the model at every frame; else it keeps its keys, and moves.
    reorders
        Whether nodes get other numbers if the parent comes after the node; else that is refused.
    """

    node: NodeChoice
    parent: NodeChoice | None
    keeps_pose: bool = False
    reorders: bool = False

    def apply(self, draft: Draft) -> None:
        """Write the parent; raises `EditError` for a cycle or a parent that comes after the node."""
        node = node_of(draft, self.node)
        parent = ROOT if self.parent is None else node_of(draft, self.parent)
        skeleton = Skeleton(draft.model)
        _refuse_cycle(skeleton, node, parent)
        if parent > node and not self.reorders:
            words = "node {parent} comes after it, and parents come first"
            raise refusal(words, NODE.name, node, "parent", parent=parent)
        stored = NONE if parent == ROOT else parent
        edit = NodeEdit(draft)
        is_changed = int(edit.rows["parent"][node]) != stored
        edit.rows["parent"][node] = stored
        if is_changed and self.keeps_pose and edit.tracks is not None:
            keep_pose(draft, edit.tracks, node, parent)
        if parent > node:
            parents = skeleton.parents.copy()
            parents[node] = parent
            edit.write(parents_first(parents.tolist()))
        elif is_changed and self.keeps_pose:
            edit.write(range(len(edit.rows)))
        else:
            put(draft, NODES, edit.rows)


def parents_first(parents: list[int]) -> list[int]:
    """Nodes in their order, but for those that come before their parent: they wait for it.

    So a new root after all others comes first, and the others keep their order.
    """
    children: dict[int, list[int]] = {}
    for node, parent in enumerate(parents):
        children.setdefault(parent, []).append(node)
    # A heap of the nodes whose parent is placed: the smallest number first keeps the order of all that need
    # not wait.
    ready, order = [*children.get(ROOT, ())], list[int]()
    while ready:
        order.append(heappop(ready))
        for child in children.get(order[-1], ()):
            heappush(ready, child)
    return order


def _refuse_cycle(skeleton: Skeleton, node: int, parent: int) -> None:
    """Refuse the node itself and those under it as its parent."""
    ancestor = parent
    while ancestor not in (node, ROOT):
        ancestor = int(skeleton.parents[ancestor])
    if ancestor == node:
        words = "a node cannot be its own parent" if parent == node else "node {parent} is under it"
        raise refusal(words, NODE.name, node, "parent", parent=parent)


@change(
    "cell",
    "node {node} shows slot {slot} in LOD {lod}, group {group}",
    typed=Typed(
        "show a slot, or none, in a cell of a node",
        (
            NODE_WORD,
            Word("LOD", "lod", value_or_none),
            Word("GROUP", "group", value_or_none),
            Word("SLOT", "slot", value_or_none),
        ),
    ),
    slot="node {node} shows nothing in LOD {lod}, group {group}",
)
class SetCell(Change, frozen=True):
    """Set which slot a node shows in one LOD and group.

    Parameters
    ----------
    node
        Index or name.
    lod, group
        The cell: 0..2 and 0..4.
    slot
        Index of a slot; None to show nothing.
    """

    node: NodeChoice
    lod: int
    group: int
    slot: int | None

    def apply(self, draft: Draft) -> None:
        """Write the word; raises `EditError` for a cell or a slot that does not exist."""
        node = node_of(draft, self.node)
        field = f"slots[{self.lod}][{self.group}]"
        if not (0 <= self.lod < LODS and 0 <= self.group < GROUPS):
            words = "the matrix has {lods} LODs and {groups} groups"
            raise refusal(words, NODE.name, node, field, lods=LODS, groups=GROUPS)
        count = len(draft.model.slots)
        # 0xFFFF says that a cell is empty, so slot 65535 cannot be named.
        if self.slot is not None and not 0 <= self.slot < min(count, NONE):
            words = "there is no slot {slot}, there are {count}"
            raise refusal(words, NODE.name, node, field, slot=self.slot, count=count)
        rows = node_rows(draft)
        rows["slots"][node, self.lod, self.group] = NONE if self.slot is None else self.slot
        put(draft, NODES, rows)
