"""Rules A04 to A11 and A13: tracks, frame map, quaternions; K02 and K03: what controllers play of a model.

A02, A03 (V23, V24) and A12 are reported when the tracks are read, K01 and K04 by the decoder; A01 is V04.

Source: spec/animation.md 6, 8; spec/ctl.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from viewer.dataclass import dataclass
from viewer.errors import Diagnostic, MshviewError, Severity
from viewer.formats.archive.nres import ENTRY
from viewer.formats.findings import Rule
from viewer.formats.msh.keys import KEY, SCALE, WORD
from viewer.formats.msh.nodes import NODE, NONE
from viewer.formats.msh.tables import FRAME_MAP
from viewer.formats.neighbors.control import CHANNEL, NOT_DRIVEN, Control
from viewer.geometry.transforms import Indices, Mask
from viewer.model.checks.payload import Payload
from viewer.model.game.registry import MODEL_SUFFIX, ControllerIndex, existing, stem_of
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.model import Model
from viewer.translation import _

NORM_TOLERANCE = 0.01
NO_OWNER = -1


@np.errstate(invalid="ignore")  # comparisons with NaN raise 'invalid'; their result is right
def check(model: Model, animation: Animation) -> list[Diagnostic]:
    """Diagnostics of the animation, including those of dropped tracks."""
    found = list(animation.diagnostics)
    if len(model.nodes) and len(model.keys):
        tracks = _Tracks.of(model)
        found += [*_times(tracks), *_words(model, tracks), *_layout(model, tracks)]
    return [*found, *frame_count_findings(model), *_norms(model)]


@dataclass(frozen=True, slots=True, eq=False)
class _Tracks:
    """The keys of every node in the canonical layout: after the previous node's last key, up to its own.

    `first` and `last` are (n,) int64, `is_sound` and `is_mapped` (n,) bool, `times` (k,) float32.
    """

    first: Indices
    last: Indices
    is_sound: Mask
    is_mapped: Mask
    times: npt.NDArray[np.float32]

    @classmethod
    def of(cls, model: Model) -> _Tracks:
        last = model.nodes["fallback_key"].astype(np.int64)
        first = np.concatenate(([0], last[:-1] + 1))
        is_sound = (first <= last) & (last < len(model.keys))
        return cls(first, last, is_sound, model.nodes["map_start"] != NONE, model.keys["time"])

    @property
    def counts(self) -> Indices:
        """Number of keys of each valid track, 0 for others."""
        return np.where(self.is_sound, self.last - self.first + 1, 0)

    @property
    def follows(self) -> Mask:
        """Keys that follow another one of the same track, (k,) bool."""
        depth = np.zeros(len(self.times) + 1, np.int64)
        # Tracks of keys 0..2 and 3..4: +1 at 1, 4 and -1 at 3, 5 sum up to 1 for keys 1, 2, 4.
        np.add.at(depth, self.first[self.is_sound] + 1, 1)
        np.add.at(depth, self.last[self.is_sound] + 1, -1)
        return np.cumsum(depth)[:-1] > 0


def _times(tracks: _Tracks) -> list[Diagnostic]:
    """A05 and A07: order of the times inside a track, order of the tracks."""
    times = tracks.times
    is_late = np.zeros(len(times), np.bool_)
    # Not <=, so that a NaN is late, too.
    is_late[1:] = tracks.follows[1:] & ~(times[1:] > times[:-1])
    is_short = tracks.is_mapped & tracks.is_sound & (tracks.counts < 2)
    is_odd = ~np.equal(times, np.rint(times))
    starts = tracks.first[tracks.is_sound]
    is_odd[starts] |= times[starts] != 0
    late = "{time} is not after {before}, the time of the key before it"
    behind = "{last} does not follow {before}, the last key of the previous node"
    node_order = Rule("A07", NODE.name, "fallback_key", Severity.WARNING)
    canonical = Rule("A07", KEY.name, "time", Severity.WARNING)
    return [
        *Rule("A05", KEY.name, "time").in_rows(is_late, late, time=times, before=lambda row: times[row - 1]),
        *Rule("A05", NODE.name, "fallback_key").in_rows(is_short, "one key, but a frame map"),
        *node_order.in_rows(~tracks.is_sound, behind, last=tracks.last, before=tracks.first - 1),
        *canonical.in_rows(is_odd, "{time} is not canonical", time=times),
    ]


def _words(model: Model, tracks: _Tracks) -> list[Diagnostic]:
    """A04, A10 and A11: the words of each mapped node."""
    word = model.frame_map
    owner = _owners(model, tracks)
    first, last = tracks.first.astype(np.int32), tracks.last.astype(np.int32)

    def report(
        rule: str, severity: Severity, is_wrong: Mask, limit: Callable[[int], str]
    ) -> list[Diagnostic]:
        told, words = Rule(rule, WORD.name, "key", severity), "{word} {limit} of node {node}"
        is_owned = is_wrong & (owner != NO_OWNER)
        return told.in_rows(is_owned, words, word=word, limit=lambda row: limit(int(owner[row])), node=owner)

    is_over = (word < last[owner]) & (word >= len(model.keys) - 1)
    beyond = "is beyond the fallback {last}"
    return [
        *report("A04", Severity.ERROR, is_over, lambda _ignored: _("exceeds the keys")),
        *report("A10", Severity.WARNING, word > last[owner], lambda node: _(beyond, last=last[node])),
        *report(
            "A11",
            Severity.WARNING,
            word < first[owner],
            lambda node: _("precedes key {first}", first=first[node]),
        ),
    ]


def _owners(model: Model, tracks: _Tracks) -> npt.NDArray[np.int32]:
    """The node of every word of the frame map, (w,) int32; if blocks overlap, the earlier one."""
    owner = np.full(len(model.frame_map), NO_OWNER, np.int32)
    mapped = np.flatnonzero(tracks.is_mapped)
    start = model.nodes["map_start"].astype(np.int64)[mapped]
    end = start + model.frame_count
    # Stable: of blocks with one start the node with the smaller index is the earlier one.
    order = np.argsort(start, kind="stable")
    free = 0
    for node, first, behind in zip(
        mapped[order].tolist(), start[order].tolist(), end[order].tolist(), strict=True
    ):
        if free <= first and behind <= len(owner):
            owner[first:behind] = node
            free = behind
    return owner


def _layout(model: Model, tracks: _Tracks) -> list[Diagnostic]:
    """A08 and A09: frame count and blocks of a canonical map."""
    found: list[Diagnostic] = []
    ends = tracks.times[tracks.last[tracks.is_sound]]
    longest = float(ends[np.isfinite(ends)].max(initial=0)) + 1
    if model.has(FRAME_MAP) and longest != model.frame_count:
        rule = Rule("A08", ENTRY.name, "attr2", Severity.WARNING)
        words = "{frames} frames, the tracks end at {end:g}"
        index = model.archive.find_type(FRAME_MAP)
        found.append(rule.finding(words, index, frames=model.frame_count, end=longest))
    mapped = np.flatnonzero(tracks.is_mapped)
    start = model.nodes["map_start"].astype(np.int64)[mapped]
    right = np.arange(len(mapped)) * model.frame_count
    is_moved = np.zeros(len(model.nodes), np.bool_)
    is_moved[mapped] = start != right
    expected = dict(zip(mapped.tolist(), right.tolist(), strict=True))
    stated, canonical = model.nodes["map_start"], expected.__getitem__
    rule = Rule("A09", NODE.name, "map_start", Severity.WARNING)
    found += rule.in_rows(
        is_moved, "{stated} is stated, {right} is canonical", stated=stated, right=canonical
    )
    size = len(model.frame_map)
    if len(mapped) * model.frame_count != size and not is_moved.any():
        rule = Rule("A09", WORD.name if model.has(FRAME_MAP) else ENTRY.name, severity=Severity.WARNING)
        words = "{words} words for {nodes} nodes of {frames} frames"
        found.append(rule.finding(words, words=size, nodes=len(mapped), frames=model.frame_count))
    return found


def frame_count_findings(model: Model) -> list[Diagnostic]:
    """A06: no frames at all, which are read as one."""
    index = model.archive.find_type(FRAME_MAP)
    if index is None or model.archive.entries[index].attr2 >= 1:
        return []
    return [Rule("A06", ENTRY.name, "attr2").finding("0 frames are stated; taken as 1", index)]


def _norms(model: Model) -> list[Diagnostic]:
    """A13: rotations whose length is not 1; one that is zero, as in retail files, is the identity."""
    norm = np.linalg.norm(model.keys["quaternion"].astype(np.float64), axis=1) / SCALE
    is_zero = norm == 0
    is_other = (np.abs(norm - 1) > NORM_TOLERANCE) & ~is_zero
    zero, other = (Rule("A13", KEY.name, "quaternion", it) for it in (Severity.INFO, Severity.WARNING))
    return [
        *zero.in_rows(is_zero, "all zero; taken as no rotation"),
        *other.in_rows(is_other, "length {norm:.4f}, 1 is expected", norm=norm),
    ]


def frames_in_model(control: Control, frame_count: int) -> Iterator[Diagnostic]:
    """Frames of states that are neither negative nor below the model's frame count (K02)."""
    for name in ("frames_a", "frames_b"):
        frames = control.states[name]
        rule = Rule("K02", "states", name, Severity.WARNING)
        is_beyond = np.asarray((frames > frame_count - 1).any(axis=1))
        yield from rule.in_rows(is_beyond, "{stated} of {count} frames", stated=frames, count=frame_count)


def nodes_in_model(control: Control, node_count: int) -> list[Diagnostic]:
    """Channels of a node that the model does not have (K03).

    A channel of no node that nothing drives is what is left of that of a removed node.
    """
    nodes, flags = control.channels["node"], control.channels["flags"]
    is_left = (nodes == CHANNEL.field("node").none) & (flags & NOT_DRIVEN != 0)
    is_wrong = np.asarray(((nodes < 0) | (nodes >= node_count)) & ~is_left)
    rule = Rule("K03", CHANNEL.name, "node", Severity.WARNING)
    return rule.in_rows(is_wrong, "node {node} of {count}", node=nodes, count=node_count)


def model_of(payload: Payload) -> Model | None:
    """The readable model that a controller moves, or None.

    The first one that an object of the registry names with it; without a registry, or if it names neither of
    the two, the one with the controller's stem next to it.
    """
    around, stem = payload.around, stem_of(payload.name) + MODEL_SUFFIX
    try:
        if around.game is not None:
            library = around.game.folder.library
            index = ControllerIndex.of(library, around.game.path)
            if index is not None:
                named = index.models(around.archive_name, payload.name)
                if named or index.controllers(around.archive_name, stem) is not None:
                    found = (address for it in named for address in existing(around.game, it))
                    address = next(found, None)
                    return None if address is None else library.open(address).read_model()
        data = around.find(stem)
        return None if data is None else Model.read(data)
    except MshviewError:
        return None
