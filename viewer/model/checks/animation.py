"""Rules A02 to A13: tracks, frame map, rotations; K02 and K03: what controllers play of a model.

A02, A03 are V23, V24; K01 and K04 are reported by the decoder; A01 is V04.

Source: spec/animation.md 6, 8; spec/ctl.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
from msgspec import Struct

from viewer.diagnostics import Diagnostic
from viewer.errors import MshviewError, Severity
from viewer.formats.archive.nres import ENTRY
from viewer.formats.findings import Findings, Rule
from viewer.formats.msh.keys import KEY, SCALE, WORD
from viewer.formats.msh.nodes import NODE, NONE
from viewer.formats.msh.tables import FRAME_MAP, KEYS, NODES
from viewer.formats.neighbors.control import CHANNEL, NOT_DRIVEN, Control
from viewer.geometry.transforms import Indices, Mask
from viewer.model.checks.joined_tables import NO_ROW, Tables, in_some
from viewer.model.checks.payload import Payload
from viewer.model.checks.rules import Rules, findings
from viewer.model.game.registry import MODEL_SUFFIX, ControllerIndex, existing, stem_of
from viewer.model.mesh.draws import expand
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.pose.animation import broken_tracks
from viewer.translation import _

# Rounded components alone give lengths up to 1.00002; 11 of the game's 34049 keys are further off or zero
# (spec/animation.md 5, 8; spec/field-notes.md 2).
NORM_TOLERANCE = 0.01
NO_OWNER = -1


ANIMATION: Final = Rules[Tables]()
"""Rules of tracks, frame map and rotations."""


def check(model: Model) -> list[Diagnostic]:
    """Diagnostics of the animation, including those of dropped tracks."""
    return findings(ANIMATION.all, Tables([model]))[0]


def track_findings(model: Model) -> list[Diagnostic]:
    """Tracks that cannot be used, and keys that are not finite: A02, A03, A12."""
    return findings([dropped_tracks, lost_numbers], Tables([model]))[0]


def frame_count_findings(model: Model) -> list[Diagnostic]:
    """The finding of a model without frames, which is read as one with a single frame: A06."""
    return findings([no_frames], Tables([model]))[0]


@ANIMATION.rule
def dropped_tracks(it: Tables) -> Findings:
    """Nodes whose fallback key (A02) or words (A03) do not exist."""
    key, start = (it.rows(NODES)[name].astype(np.int64) for name in ("fallback_key", "map_start"))
    keys, frames, words = (
        it.of_rows(each, NODES) for each in (it.counts(KEYS), it.frames, it.counts(FRAME_MAP))
    )
    # Without keys or without a frame map nothing of a track is dropped: there is none.
    is_animated = it.has(KEYS) & it.has(FRAME_MAP) & (it.variant is Variant.MODEL)
    has_no_key, has_no_words = (
        each & it.of_rows(is_animated, NODES) for each in broken_tracks(key, start, keys, frames, words)
    )
    keyless, unmapped = Rule("A02", NODE.name, "fallback_key"), Rule("A03", NODE.name, "map_start")
    counts, says = it.counts(NODES), "{start} + {frames} frames exceeds {words} words; static"
    yield from keyless.in_joined(has_no_key, counts, "{key} of {count} keys; identity", key=key, count=keys)
    yield from unmapped.in_joined(has_no_words, counts, says, start=start, frames=frames, words=words)


@ANIMATION.rule
def lost_numbers(it: Tables) -> Findings:
    """Keys whose numbers are not finite (A12)."""
    keys, counts = it.rows(KEYS), it.counts(KEYS)
    is_lost = {
        "position": in_some(~np.isfinite(keys["position"])),
        "time": ~np.isfinite(keys["time"]),
    }
    for field, is_wrong in is_lost.items():
        yield from Rule("A12", KEY.name, field).in_joined(is_wrong, counts, "not finite; 0 is used")


class _Tracks(Struct, frozen=True, eq=False):
    """The keys of every node in the canonical layout: after the previous node's last key, up to its own.

    Attributes
    ----------
    first, last
        In the keys of the model, (n,) int64.
    is_sound, is_mapped
        Nodes with keys in that order, and with words of the frame map, (n,).
    start
        The row of the first key of the model of each node, (n,).
    is_told
        Models with both nodes and keys, (m,).
    """

    first: Indices
    last: Indices
    is_sound: Mask
    is_mapped: Mask
    start: Indices
    is_told: Mask

    @classmethod
    def of(cls, it: Tables) -> _Tracks:
        nodes, keys = it.rows(NODES), it.counts(KEYS)
        last = nodes["fallback_key"].astype(np.int64)
        # A node states the last key of its track alone: fallback keys 2 3 5 are tracks 0..2, 3..3 and 4..5
        # (spec/animation.md 6).
        first = np.concatenate(([0], last[:-1] + 1))[: len(last)]
        counts = it.counts(NODES)
        # The first node of each model begins at 0, whatever the last node of the model before it ends with.
        first[it.starts(NODES)[counts > 0]] = 0
        is_told = (counts > 0) & (keys > 0)
        told = it.of_rows(is_told, NODES)
        is_sound = (first <= last) & (last < it.of_rows(keys, NODES))
        is_mapped = (nodes["map_start"] != NONE) & told
        return cls(first, last, is_sound, is_mapped, it.of_rows(it.starts(KEYS), NODES), is_told)


@ANIMATION.rule
def key_times(it: Tables) -> Findings:
    """Keys that are not after the one before in their track (A05)."""
    tracks, times = it.once(_Tracks.of), it.rows(KEYS)["time"]
    first, last = ((each + tracks.start)[tracks.is_sound] for each in (tracks.first, tracks.last))
    # Tracks of keys 0..2 and 3..4: +1 at 1, 4 and -1 at 3, 5 sum up to 1 for keys 1, 2, 4.
    size = len(times) + 1
    depth = np.bincount(first + 1, minlength=size) - np.bincount(last + 1, minlength=size)
    is_late = np.cumsum(depth)[:-1] > 0
    # Not <=, so that a NaN is late, too. The first key of all follows none.
    is_late[1:] &= ~(times[1:] > times[:-1])
    late = "{time} is not after {before}, the time of the key before it"
    rule = Rule("A05", KEY.name, "time")
    values = {"time": times, "before": lambda row: times[row - 1]}
    yield from rule.in_joined(is_late, it.counts(KEYS), late, **values)


@ANIMATION.rule
def track_order(it: Tables) -> Findings:
    """Nodes with a frame map but one key (A05), and tracks that do not follow one another (A07)."""
    tracks, counts = it.once(_Tracks.of), it.counts(NODES)
    is_short = tracks.is_mapped & tracks.is_sound & (tracks.last == tracks.first)
    node = "A05", NODE.name, "fallback_key"
    yield from Rule(*node).in_joined(is_short, counts, "one key, but a frame map")
    behind = "{last} does not follow {before}, the last key of the previous node"
    rule = Rule("A07", NODE.name, "fallback_key", Severity.WARNING)
    is_wrong = ~tracks.is_sound & it.of_rows(tracks.is_told, NODES)
    yield from rule.in_joined(is_wrong, counts, behind, last=tracks.last, before=tracks.first - 1)


@ANIMATION.rule
def canonical_times(it: Tables) -> Findings:
    """Times that are not whole, and tracks that do not begin at 0 (A07)."""
    tracks, times = it.once(_Tracks.of), it.rows(KEYS)["time"]
    # Written so that NaN is odd: it is not equal to itself.
    is_odd = ~np.equal(times, np.rint(times))
    starts = (tracks.first + tracks.start)[tracks.is_sound]
    is_odd[starts] |= times[starts] != 0
    is_odd &= it.of_rows(tracks.is_told, KEYS)
    rule = Rule("A07", KEY.name, "time", Severity.WARNING)
    yield from rule.in_joined(is_odd, it.counts(KEYS), "{time} is not canonical", time=times)


def _word_owners(it: Tables) -> Indices:
    """The node of every word, as a row of the joined nodes, (w,); of overlapping blocks the earlier one's."""
    tracks, words = it.once(_Tracks.of), it.counts(FRAME_MAP)
    owners = np.full(len(it.rows(FRAME_MAP)), NO_OWNER)
    start, owner = it.rows(NODES)["map_start"].astype(np.int64), it.owner(NODES)
    end = start + it.of_rows(it.frames, NODES)
    nodes = np.flatnonzero(tracks.is_mapped & (end <= it.of_rows(words, NODES)))
    shift = it.starts(FRAME_MAP)[owner[nodes]]
    start, end = start[nodes] + shift, end[nodes] + shift
    # Stable: of blocks with one start the node with the smaller index is the earlier one.
    order = np.argsort(start, kind="stable")
    nodes, start, end = nodes[order], start[order], end[order]
    if (start[1:] < end[:-1]).any():
        kept, free = np.zeros(len(nodes), np.bool_), 0
        for block, (first, behind) in enumerate(zip(start.tolist(), end.tolist(), strict=True)):
            if first >= free:
                kept[block], free = True, behind
        nodes, start, end = nodes[kept], start[kept], end[kept]
    owners[expand(start, end - start)] = np.repeat(nodes, end - start)
    return owners


@ANIMATION.rule
def frame_words(it: Tables) -> Findings:
    """Words of mapped nodes that exceed the keys (A04) or leave the track of their node (A10, A11)."""
    tracks, owner = it.once(_Tracks.of), it.once(_word_owners)
    is_owned = owner != NO_OWNER
    if not is_owned.any():
        return
    word, node = it.rows(FRAME_MAP)["key"], it.place(NODES)[owner]
    first, last = tracks.first[owner], tracks.last[owner]
    keys = it.of_rows(it.counts(KEYS), FRAME_MAP)
    exceeds, beyond, precedes = _("exceeds the keys"), "is beyond the fallback {last}", "precedes key {first}"
    told: tuple[tuple[str, Severity, Mask, Callable[[int], str]], ...] = (
        # A word below the last key names a segment, whose right end is the key after it: of 5 keys, word 4
        # has none.
        ("A04", Severity.ERROR, (word < last) & (word >= keys - 1), lambda _row: exceeds),
        # Shown as the last key all the same, as any word that is not below it (spec/animation.md 4).
        ("A10", Severity.WARNING, word > last, lambda row: _(beyond, last=last[row])),
        ("A11", Severity.WARNING, word < first, lambda row: _(precedes, first=first[row])),
    )
    for number, severity, is_wrong, limit in told:
        rule, words = Rule(number, WORD.name, "key", severity), "{word} {limit} of node {node}"
        values = {"word": word, "limit": limit, "node": node}
        yield from rule.in_joined(is_wrong & is_owned, it.counts(FRAME_MAP), words, **values)


@ANIMATION.rule
def length(it: Tables) -> Findings:
    """Models whose number of frames is not that of their tracks (A08)."""
    tracks, nodes = it.once(_Tracks.of), it.owner(NODES)
    ends = it.rows(KEYS)["time"][(tracks.last + tracks.start)[tracks.is_sound]]
    longest = np.zeros(len(it.models), np.float64)
    is_finite = np.isfinite(ends)
    np.maximum.at(longest, nodes[tracks.is_sound][is_finite], ends[is_finite])
    is_other = tracks.is_told & it.has(FRAME_MAP) & (longest + 1 != it.frames)
    rule, words = (
        Rule("A08", ENTRY.name, "attr2", Severity.WARNING),
        "{frames} frames, the tracks end at {end:g}",
    )
    values = {"frames": it.frames, "end": longest + 1}
    yield from rule.of_subjects(is_other, words, it.entries[FRAME_MAP], **values)


@ANIMATION.rule
def layout(it: Tables) -> Findings:
    """Blocks of a frame map that is not canonical: those of the mapped nodes in order (A09)."""
    tracks, counts = it.once(_Tracks.of), it.counts(NODES)
    stated, owner = it.rows(NODES)["map_start"], it.owner(NODES)
    mapped = it.sums(NODES, tracks.is_mapped)
    # The number of a mapped node in its model: 2 and 3 of them give 0 1 0 1 2.
    number = np.cumsum(tracks.is_mapped) - 1 - (np.cumsum(mapped) - mapped)[owner]
    canonical = number * it.of_rows(it.frames, NODES)
    is_moved = tracks.is_mapped & (stated != canonical)
    rule, words = (
        Rule("A09", NODE.name, "map_start", Severity.WARNING),
        "{stated} is stated, {right} is canonical",
    )
    yield from rule.in_joined(is_moved, counts, words, stated=stated, right=canonical)
    size, has = it.counts(FRAME_MAP), it.has(FRAME_MAP)
    # A block at another place explains a wrong length: that is said once.
    is_other = tracks.is_told & (mapped * it.frames != size) & (it.sums(NODES, is_moved) == 0)
    words = "{words} words for {nodes} nodes of {frames} frames"
    values = {"words": size, "nodes": mapped, "frames": it.frames}
    for is_it, table in ((has, WORD.name), (~has, ENTRY.name)):
        rule = Rule("A09", table, severity=Severity.WARNING)
        yield from rule.of_subjects(is_other & is_it, words, **values)


@ANIMATION.rule
def no_frames(it: Tables) -> Findings:
    """Models without a frame, which are read as one (A06)."""
    entry = it.entries[FRAME_MAP]
    has_entry = entry != NO_ROW
    stated = it.directory.rows["attr2"][np.where(has_entry, entry + it.directory.starts, 0)]
    rule = Rule("A06", ENTRY.name, "attr2")
    yield from rule.of_subjects(has_entry & (stated < 1), "0 frames are stated; taken as 1", entry)


@ANIMATION.rule
def norms(it: Tables) -> Findings:
    """Rotations whose length is not 1; one that is zero, as in retail files, is the identity (A13)."""
    quaternion = it.rows(KEYS)["quaternion"].astype(np.float64)
    norm = np.sqrt(np.einsum("ij,ij->i", quaternion, quaternion)) / SCALE
    is_zero = norm == 0
    is_other = (np.abs(norm - 1) > NORM_TOLERANCE) & ~is_zero
    zero, other = (
        Rule("A13", KEY.name, "quaternion", severity) for severity in (Severity.INFO, Severity.WARNING)
    )
    counts = it.counts(KEYS)
    yield from zero.in_joined(is_zero, counts, "all zero; taken as no rotation")
    yield from other.in_joined(is_other, counts, "length {norm:.4f}, 1 is expected", norm=norm)


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
        # The registry first: stems differ, as with s_tree_0_06.msh and s_tree_a_06.ctl, and a turret has two
        # controllers (spec/ctl.md).
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
