"""The keys of all nodes as marks over time: found in a box, and moved, scaled, removed and copied together.

A mark is named by its node and its place in the node's track. The format wants whole frames, each once in a
track, and the first key at 0: that one stays where it is. Source: spec/animation.md 6.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from math import ceil
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.diagnostics import Diagnostic
from viewer.formats.msh.keys import KEY, WORD
from viewer.formats.msh.nodes import NODE, NONE
from viewer.formats.msh.tracks import MAX_FRAMES
from viewer.geometry.transforms import Indices
from viewer.model.checks.animation import check
from viewer.model.edit.change import Change
from viewer.model.edit.nodes.set_key import AddKey, MoveKeys, RemoveKey, SetKey
from viewer.session.edits.row_commands import node_choice
from viewer.session.opened.document import Document

Spans = npt.NDArray[np.float64]
"""Starts and ends in frames, (n, 2)."""


class Mark(NamedTuple):
    """A key: its node, and its place in the track of the node."""

    node: int
    place: int


class CopiedKey(Struct, frozen=True):
    """A key to be pasted: node, time in frames, and values in the reading in effect."""

    node: int
    time: float
    position: tuple[float, ...]
    quaternion: tuple[float, ...]


class TimedFault(NamedTuple):
    """A fault at a time of a node, in frames: of a key, or of the word of the frame map."""

    time: float
    problem: Diagnostic
    is_key: bool


class WordRun(NamedTuple):
    """Frames in a row for which the frame map has the same word, both ends included.

    Attributes
    ----------
    first, last
        In frames.
    key
        The left key then, by its place in the track of the node; below 0 for a key of another node.
    is_fallback
        Whether the word stands for the fallback key.
    """

    first: int
    last: int
    key: int
    is_fallback: bool


class KeyEdit(NamedTuple):
    """The changes that make an edit as one step; and the keys that are chosen then, by node and time."""

    changes: tuple[Change, ...] = ()
    chosen: frozenset[tuple[int, float]] = frozenset()


class KeySheet:
    """The keys of a document, by node and time.

    Attributes
    ----------
    nodes, indices, times, rows
        Node, place in its track, time in frames, and row in the table of keys, (k,); ascending by node, then
        by place.
    is_held
        Whether the key after it in its track says the same place, (k,).
    """

    def __init__(self, document: Document) -> None:
        self._document, animation = document, document.animation
        self._spans: dict[int, Spans] = {}
        self._runs: dict[int, Sequence[WordRun]] = {}
        tracks = [animation.track(node) for node in range(document.model.node_count)]
        counts = np.array([len(track) for track in tracks], np.int64)
        rows = np.concatenate([np.arange(it.start, it.stop) for it in tracks] or [np.zeros(0, np.int64)])
        self._ends = np.cumsum(counts)
        self.nodes: Indices = np.repeat(np.arange(len(tracks)), counts)
        self.indices: Indices = np.arange(len(rows)) - np.repeat(self._ends - counts, counts)
        self.times = animation.times[rows].astype(np.float64)
        self.rows: Indices = rows
        keys = animation.keys[rows]
        following = np.minimum(np.arange(len(rows)) + 1, max(len(rows) - 1, 0))
        self.is_held = (
            (self.nodes[following] == self.nodes)
            & (self.indices[following] > self.indices)
            & (keys["position"] == keys["position"][following]).all(axis=1)
            & (keys["quaternion"] == keys["quaternion"][following]).all(axis=1)
        )

    @cached_property
    def faults(self) -> Mapping[int, Sequence[TimedFault]]:
        """The keys and words that are wrong, by node, as many as diagnostics name."""
        numbers = {row: number for number, row in enumerate(self.rows.tolist())}
        starts = self._document.model.nodes["map_start"].astype(np.int64)
        found: dict[int, list[TimedFault]] = {}
        for node, problems in self.problems.items():
            for it in problems:
                row = -1 if it.index is None else it.index
                if it.table == KEY.name and row in numbers:
                    fault = TimedFault(float(self.times[numbers[row]]), it, is_key=True)
                elif it.table == WORD.name and node >= 0:
                    fault = TimedFault(float(row - starts[node]), it, is_key=False)
                else:
                    continue
                found.setdefault(node, []).append(fault)
        return found

    @cached_property
    def problems(self) -> Mapping[int, Sequence[Diagnostic]]:
        """The problems of the tracks, keys and words of nodes, by node."""
        model, animation = self._document.model, self._document.animation
        starts = model.nodes["map_start"].astype(np.int64)
        mapped = np.flatnonzero(starts != NONE)
        mapped = mapped[np.argsort(starts[mapped], kind="stable")]

        def owner(found: Diagnostic) -> int:
            row = -1 if found.index is None else found.index
            if found.table == NODE.name:
                return row
            if found.table == KEY.name and 0 <= row < len(animation.key_owners):
                return int(animation.key_owners[row])
            place = int(np.searchsorted(starts[mapped], row, side="right")) - 1
            return int(mapped[place]) if found.table == WORD.name and place >= 0 else -1

        by_node: dict[int, list[Diagnostic]] = {}
        for it in check(model):
            by_node.setdefault(owner(it), []).append(it)
        return by_node

    @cached_property
    def last_time(self) -> float:
        """The last time of a key that a model can have, in frames; 0 without any."""
        known = self.times[(self.times >= 0) & (self.times < MAX_FRAMES)]
        return float(known.max(initial=0.0))

    def taken(self, marks: Iterable[Mark], edit: KeyEdit) -> int:
        """Number of keys that an edit would put at a frame that another key of the node has."""
        if not edit.changes:
            return 0
        moved = self.numbers(marks)
        is_other = np.ones(len(self.times), np.bool_)
        is_other[moved] = False
        spans = ((self.of(node), time) for node, time in edit.chosen)
        met = sum(bool((is_other[keys] & (self.times[keys] == time)).any()) for keys, time in spans)
        return met + len(moved) - len(edit.chosen)

    def of(self, node: int) -> slice:
        """The keys of a node."""
        first = int(self._ends[node - 1]) if node else 0
        return slice(first, int(self._ends[node]))

    def has_tracks_of(self, other: KeySheet) -> bool:
        """Whether each node has as many keys as in another state of the document."""
        return np.array_equal(self._ends, other._ends)

    def moving(self) -> frozenset[int]:
        """The nodes that have more than one key."""
        counts = np.diff(self._ends, prepend=0)
        return frozenset(np.flatnonzero(counts > 1).tolist())

    def row(self, mark: Mark) -> int | None:
        """The row of a key in its table, None if there is no such key."""
        keys = self.of(mark.node) if mark.node < len(self._ends) else slice(0, 0)
        place = keys.start + mark.place
        return int(self.rows[place]) if place < keys.stop else None

    def numbers(self, marks: Iterable[Mark]) -> Indices:
        """The numbers of keys among all, (m,)."""
        known = [self.of(it.node).start + it.place for it in marks if self.row(it) is not None]
        return np.array(known, np.int64)

    def chosen(self, marks: Iterable[Mark]) -> frozenset[tuple[int, float]]:
        """Keys by node and time, as another state of the document may have them elsewhere."""
        known = [mark for mark in marks if self.row(mark) is not None]
        return frozenset((it.node, float(self.times[self.of(it.node)][it.place])) for it in known)

    def marks(self, chosen: frozenset[tuple[int, float]]) -> frozenset[Mark]:
        """The keys at nodes and times."""
        found: set[Mark] = set()
        for node, time in chosen:
            found |= self.inside([node], time, time)
        return frozenset(found)

    def inside(self, nodes: Iterable[int], first: float, last: float) -> frozenset[Mark]:
        """The keys of some nodes between two times, both included."""
        found: set[Mark] = set()
        for node in nodes:
            keys = self.of(node) if node < len(self._ends) else slice(0, 0)
            times = self.times[keys]
            found.update(Mark(node, int(it)) for it in np.flatnonzero((times >= first) & (times <= last)))
        return frozenset(found)

    def fallback_spans(self, node: int) -> Spans:
        """The runs of frames in which the frame map says the fallback key, each from first to last."""
        found = self._spans.get(node)
        if found is None:
            words, fallback = self._document.animation.words(node)
            edges = np.diff(np.concatenate([[0], (words >= fallback).astype(np.int8), [0]]))
            ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
            found = self._spans[node] = np.stack(ends, axis=1).astype(np.float64)
        return found

    def word_runs(self, node: int) -> Sequence[WordRun]:
        """The words of the frame map of a node; none if it has no map."""
        found = self._runs.get(node)
        if found is None:
            words, fallback = self._document.animation.words(node)
            starts = np.flatnonzero(np.diff(words, prepend=-1))
            ends = [*(starts[1:] - 1).tolist(), len(words) - 1]
            first = self._document.animation.track(node).start
            found = self._runs[node] = tuple(
                WordRun(start, end, word - first, word >= fallback)
                for start, end, word in zip(starts.tolist(), ends, words[starts].tolist(), strict=False)
            )
        return found

    def word_at(self, node: int, time: float) -> WordRun | None:
        """The run of words of the frame nearest to a time; None beyond the frames or without a map."""
        frame, runs = round(time), self.word_runs(node)
        place = bisect_right(runs, frame, key=lambda run: run.first) - 1
        return runs[place] if place >= 0 and frame <= runs[place].last else None

    def _times_of(self, marks: Iterable[Mark]) -> dict[int, list[tuple[int, float]]]:
        """Places and times of some keys by node, without first keys, which stay at 0."""
        found: dict[int, list[tuple[int, float]]] = {}
        for mark in sorted(marks):
            if mark.place and self.row(mark) is not None:
                place = self.of(mark.node).start + mark.place
                found.setdefault(mark.node, []).append((mark.place, float(self.times[place])))
        return found

    def _moved(self, marks: Iterable[Mark], move: Callable[[float], float]) -> KeyEdit:
        """The changes that give keys other times: whole frames after the first one."""
        changes: list[Change] = []
        chosen = {(mark.node, 0.0) for mark in marks if not mark.place}
        for node, keys in self._times_of(marks).items():
            moved = [(index, max(1.0, float(round(move(time))))) for index, time in keys]
            chosen.update((node, time) for _index, time in moved)
            if moved != keys:
                indices, wanted = zip(*moved, strict=True)
                changes.append(MoveKeys(self._choice(node), indices, wanted))
        return KeyEdit(tuple(changes), frozenset(chosen))

    def distance(self, marks: Iterable[Mark], frames: int) -> int:
        """Distance by which keys move that are dragged by some frames: the earliest of them stays after 0."""
        times = [time for keys in self._times_of(marks).values() for _index, time in keys]
        return max(frames, ceil(1 - min(times))) if times else 0

    def shifted(self, marks: Iterable[Mark], frames: int) -> KeyEdit:
        """Move keys by whole frames, all of them by `distance`."""
        distance = self.distance(marks, frames)
        return self._moved(marks, lambda time: time + distance) if distance else KeyEdit()

    def scaled(self, marks: Iterable[Mark], center: float, factor: float) -> KeyEdit:
        """Move keys towards or away from a time, to the nearest frames."""
        return self._moved(marks, lambda time: center + (time - center) * factor)

    def removed(self, marks: Iterable[Mark]) -> KeyEdit:
        """Remove keys; the first one of a node stays, as the node would have no place."""
        kept = [mark for mark in marks if mark.place and self.row(mark) is not None]
        # From the last one of each node on, so that the others keep their places.
        ordered = sorted(kept, key=lambda mark: (mark.node, -mark.place))
        return KeyEdit(tuple(RemoveKey(self._choice(mark.node), mark.place) for mark in ordered))

    def copied(self, marks: Iterable[Mark]) -> tuple[CopiedKey, ...]:
        """The values of some keys, to be copied."""
        animation = self._document.animation
        found = [(mark, row) for mark in sorted(marks) if (row := self.row(mark)) is not None]
        if not found:
            return ()
        keys = np.array([row for _mark, row in found])
        position, quaternion = animation.between(keys, np.zeros(len(keys), np.float32))
        return tuple(
            CopiedKey(mark.node, float(animation.times[row]), tuple(place), tuple(turn))
            for (mark, row), place, turn in zip(found, position.tolist(), quaternion.tolist(), strict=True)
        )

    def pasted(self, copied: Sequence[CopiedKey], time: float, node: int | None = None) -> KeyEdit:
        """Put copied keys into the document, the earliest of them at a time.

        Those of one node go to `node`, if one is given, and else all to their own. A key that is at the time
        already gets what the copied one says.
        """
        if not copied:
            return KeyEdit()
        earliest, has_one = min(it.time for it in copied), len({it.node for it in copied}) == 1
        known: dict[int, list[float]] = {}
        changes: list[Change] = []
        chosen: set[tuple[int, float]] = set()
        for it in sorted(copied, key=lambda key: (key.node, key.time)):
            goal = node if node is not None and has_one else it.node
            if not 0 <= goal < len(self._ends):
                continue
            times = known.setdefault(goal, self.times[self.of(goal)].tolist())
            at = float(round(time + it.time - earliest))
            choice = self._choice(goal)
            if at not in times:
                changes.append(AddKey(choice, at))
                times.append(at)
                times.sort()
            changes.append(SetKey(choice, times.index(at), it.position, it.quaternion))
            chosen.add((goal, at))
        return KeyEdit(tuple(changes), frozenset(chosen))

    def _choice(self, node: int) -> int | str:
        return node_choice(self._document.names, node)
