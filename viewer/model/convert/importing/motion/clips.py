"""The clips of a file as frames of the one movement that a model has.

Export with clips gives each state of the controller as a movement of its own, in seconds, cut out of the
frames that the state plays. Here they are found by name and compared with what export would give, and what
differs goes back into its frames: of `walk`, frames 16 to 40 in 1.1 seconds, a point at 0.55 seconds is that
of frame 28. A clip that does not fit is left out, and its name is said.

Source: spec/ctl.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import numpy as np
from msgspec.structs import replace

from viewer.model.clips.clip import Clip as GameClip
from viewer.model.convert.gltf.read import STRIP
from viewer.model.convert.importing.matching import Comparison
from viewer.model.convert.importing.motion.curves import Motions
from viewer.model.convert.importing.motion.fitting import changed_points, sampled_at, with_known_times
from viewer.model.convert.importing.nodes.missing import below_missing
from viewer.model.convert.labels import UniqueNames, without_copy
from viewer.model.convert.motion.curve import SAME_TIME, Curve, Divergence, at_rest, divergence
from viewer.model.convert.motion.new_frames import appended, new_frames
from viewer.model.convert.motion.rotations import is_sampled
from viewer.model.convert.motion.tracks import Divided, Played, played_of
from viewer.model.convert.scene import Node, Scene, SceneClip, Track
from viewer.model.convert.source import ModelSource
from viewer.translation import _

WIDEST: Final = 8.0
"""Frames between the samples of a clip, at most: it may be played faster than the strip."""


def on_strip(compared: Comparison, motions: Motions) -> Comparison:
    """A comparison whose file moves its nodes as its clips say; itself without clips of the model."""
    template, given, findings = compared.source, compared.given, compared.findings
    moving = [clip for clip in given.clips if clip.tracks]
    known = _known(template, given)
    pairs = [*_pairs(known, moving)]
    # the reader has put clips of other programs into a strip of their own
    is_apart = any(clip.is_apart for clip in moving)
    if given.origin is None and not is_apart and (not pairs or [clip.name for clip in moving] == [STRIP]):
        if given.is_in_a_row:
            findings.lose("{count} animations follow one another", count=len(moving))
        findings.notes += given.clip_words()
        return compared
    if not moving:
        return compared
    if is_apart and compared.has_strip:
        # The file has the whole movement of the model, and other ones besides.
        return _with_new(compared, motions, [clip for clip in moving if clip.is_apart])
    work = _Frames(compared, motions)
    for clip, name in pairs:
        work.take(clip, known[name])
    missing = [name for name in known if name not in {it for _ignored, it in pairs}]
    if missing:
        findings.note("the file does not have these clips, which are kept: {names}", names=", ".join(missing))
    work.note_shared(known)
    paired = {id(clip) for clip, _ignored in pairs}
    new = [clip for clip in moving if id(clip) not in paired]
    return _with_new(replace(compared, given=work.scene), motions, new)


def _with_new(compared: Comparison, motions: Motions, clips: Sequence[SceneClip]) -> Comparison:
    """A comparison whose file has clips that the model does not know in frames after the others."""
    given = compared.given
    found = [*new_frames(given, clips, max(given.frame_count, compared.expected.frame_count))]
    if not found:
        return compared
    nodes: list[Node] = []
    film: list[Track | None] = []
    for index, (node, known) in enumerate(compared.pairs):
        of_file = node.track if node.track is not None or known is None else known.track
        if of_file is None and not any(index in it.tracks for it in found):
            nodes.append(node)
            film.append(None)
            continue
        base = of_file
        if base is not None and known is not None and known.track is not None:
            base = motions.read(known, base, known.track)
        own, place = known or Node(node.name), at_rest(node)
        near = motions.near(-1 if own.number is None else own.number, place.positions)
        if known is not None and not changed_points(place, at_rest(known), near):
            place = at_rest(known)
        added = [it.of(index, place, partial(motions.whole, own)) for it in found]
        nodes.append(replace(node, track=appended(base, place, added)))
        film.append(appended(of_file, place, added))
    for it in found:
        words = "clip {clip} is new: frames {first} to {last}"
        compared.findings.note(words, clip=it.clip.name, first=f"{it.clip.first:g}", last=f"{it.clip.last:g}")
    new = tuple(it.clip for it in found)
    others = (it for it in given.clips if not any(it is clip for clip in clips))
    given = replace(given, nodes=tuple(nodes), clips=(*others, *new), frame_count=int(new[-1].last) + 1)
    return replace(compared, given=given, new_clips=new, film=film)


def _known(template: ModelSource, given: Scene) -> dict[str, GameClip]:
    """The clips of the model by their exported names; without a controller those that the file lists."""
    clips = [(clip.name, clip) for clip in template.controller.clips]
    names = UniqueNames()
    return {names.add(name, "clip"): clip for name, clip in clips or [*_listed(given)]}


def _listed(given: Scene) -> Iterator[tuple[str, GameClip]]:
    """The clips of the controller that a file was exported with."""
    for index, clip in enumerate(given.clips if given.origin is not None else ()):
        second, weight = clip.fields.get("frames_b"), clip.fields.get("weight_b")
        pair = (float(second[0]), float(second[1])) if isinstance(second, list) and len(second) == 2 else None
        share = float(weight) if isinstance(weight, int | float) else 0.0
        yield (
            clip.name,
            GameClip(index, None, 1, (clip.first, clip.last), pair, share, clip.seconds, (index,)),
        )


def _pairs(names: Iterable[str], moving: Sequence[SceneClip]) -> Iterator[tuple[SceneClip, str]]:
    """Pairs of each clip of a file and the name of the clip of the model that it is."""
    free = {name: name for name in names}
    left = []
    for clip in moving:
        if clip.name in free:
            yield clip, free.pop(clip.name)
        else:
            left.append(clip)
    folded = {name.casefold(): name for name in free}
    for clip in left:
        name = folded.pop(without_copy(clip.name).casefold(), None)
        if name is not None:
            yield clip, name


class _Frames:
    """Puts clips into the movement of nodes."""

    def __init__(self, compared: Comparison, motions: Motions) -> None:
        template, expected, self._given = compared.source, compared.expected, compared.given
        self._at, self._left, self._above = compared.nodes, compared.left_nodes, compared.above
        self._expected = expected.nodes
        self._known = [known for _node, known in compared.pairs]
        self._near, self._findings = motions.near, compared.findings
        self._fps, self._count = self._given.options.fps, expected.frame_count
        numbers = [it.number or 0 for it in expected.nodes]
        strip = {it.number or 0: it.track for it in expected.nodes if it.track is not None}
        self._divided = Divided(template, self._fps, numbers, strip)
        self._tracks = [None if it is None else it.track for it in self._known]
        # Without a controller in the template nothing says which nodes are driven by channels.
        self._held: set[int] = set() if template.controller.clips else self._still()
        clips = template.controller.clips if self._above else ()
        self._every = [*map(self._divided.tracks, clips)]
        self._between: dict[str, Divergence] = {}
        self._taken: list[tuple[str, float, float, set[int]]] = []

    def _still(self) -> set[int]:
        """The nodes that have one pose in all clips, which channels may hold."""
        poses: dict[int, list[Track]] = {}
        for index, track in (pair for clip in self._given.clips for pair in clip.tracks.items()):
            poses.setdefault(index, []).append(track)
        held = (index for index, tracks in poses.items() if _is_one_pose(tracks))
        return {at for at in (self._at[index] for index in held) if at is not None}

    @property
    def scene(self) -> Scene:
        """The scene with what was put into it."""
        nodes = zip(self._given.nodes, self._tracks, strict=True)
        return replace(
            self._given,
            nodes=tuple(replace(node, track=track) for node, track in nodes),
            frame_count=max(1, self._count),
        )

    def take(self, clip: SceneClip, known: GameClip) -> None:
        """Put the deviations of a clip into its frames."""
        played = played_of(known, self._fps)
        if played is None:
            self._lose(clip, _("it plays no frames"))
            return
        expected = self._divided.tracks(known)
        parts = {}
        self._between.clear()
        for index, node in enumerate(self._given.nodes):
            at, after = self._at[index], clip.tracks.get(index)
            if (at is not None and at in self._held) or index in self._left:
                continue
            before = expected.get(-1 if at is None else at, self._rest(index))
            if after is not None and index in self._above:
                after = below_missing(after, [*self._hidden(expected, self._above[index])], before)
            if after is None and (at is None or Curve(before).is_constant(self._close(index, before), 1e-3)):
                continue
            after = at_rest(node) if after is None else after
            part = self._part(index, _in_frames(before, played), _in_frames(after, played))
            if part is not None:
                parts[index] = part
        reason = self._refusal(clip, played) if parts else ""
        if reason:
            self._lose(clip, reason)
        elif parts:
            self._put(clip, played, parts)

    def _hidden(self, playing: Mapping[int, Track], nodes: Sequence[int]) -> Iterator[list[Track]]:
        """Movements of nodes that are not in the file: in the same clip, or in any other.

        Blender exports each action of the selected objects while the others play one all the time.
        """
        for tracks in (playing, *self._every):
            yield [tracks.get(it, at_rest(self._expected[it])) for it in nodes]

    def _lose(self, clip: SceneClip, reason: str) -> None:
        self._findings.lose("clip {clip} is left out: {reason}", clip=clip.name, reason=reason)

    def _rest(self, index: int) -> Track:
        """The track of a node that stands still in its rest pose."""
        return at_rest(self._known[index] or self._given.nodes[index])

    def _close(self, index: int, track: Track) -> float:
        """The distance up to which two positions of a node count as equal, model units."""
        known = self._known[index]
        return self._near(-1 if known is None or known.number is None else known.number, track.positions)

    def _part(self, index: int, before: Track, after: Track) -> Track | None:
        """The edited track of a node, in frames; None if the clip moves it as before."""
        near = self._close(index, before)
        read = with_known_times(before, after, near, is_keyed=True, widest=WIDEST)
        if read is not None:
            changed = changed_points(before, read, near)
            return before.with_points(read, changed) if changed else None
        if not is_sampled(after.times, WIDEST):
            return after
        first, last = before.times[0], before.times[-1]
        # From 2.5 to 5: 2.5, 3, 4, 5. Ends that are whole would come twice, which unique removes.
        frames = np.unique(np.concatenate([[first], np.arange(np.ceil(first), np.floor(last) + 1), [last]]))
        found = sampled_at(frames, before, after, near, widest=WIDEST)
        lost = divergence(after, found, only_points=True)
        if lost.is_noted:
            self._between[self._given.nodes[index].name] = lost
        return found

    def _refusal(self, clip: SceneClip, played: Played) -> str:
        """Reason for which an edited clip cannot be put into its frames; empty if it can."""
        if played.second is not None:
            return _("it blends two ranges of frames, which cannot be told apart")
        lengths = [it.times for it in clip.tracks.values()]
        end = max(float(it[-1]) for it in lengths)
        # a sampled clip ends at its last whole sample
        step = max(
            (float(it[1] - it[0]) for it in lengths if len(it) > 2 and is_sampled(it * 1000, np.inf)),
            default=0,
        )
        if abs(end - played.seconds) > max(step, 1e-3 * played.seconds) + 1e-4:
            first, last = played.first
            return _(
                "it takes {given} seconds, and its frames {first} to {last} take {seconds}",
                given=f"{end:.4g}",
                first=f"{first:g}",
                last=f"{last:g}",
                seconds=f"{played.seconds:.4g}",
            )
        return ""

    def _put(self, clip: SceneClip, played: Played, parts: Mapping[int, Track]) -> None:
        low, high = min(played.first), max(played.first)
        held: set[int] = set()
        for index, part in parts.items():
            known = self._known[index]
            name = self._given.nodes[index].name
            if known is not None and known.number in self._divided.driven:
                words = "clip {clip}: {node} is moved by a channel of the controller, and stays as it is"
                self._findings.lose(words, clip=clip.name, node=name)
                continue
            # Two ranges share frames if each begins before the other ends; ranges that only touch share none.
            other = next(
                (it for it, a, b, nodes in self._taken if index in nodes and a < high and low < b), None
            )
            strip = self._tracks[index] or self._rest(index)
            if other is None:
                self._tracks[index] = _with_range(strip, part, (low, high), self._count)
                held.add(index)
                if name in self._between:
                    self._findings.between[name] = self._between[name]
            # The first clip has the frames; of a later one it is only checked that it says the same, with a
            # margin.
            elif not Curve(strip).has(part, 10 * self._close(index, part)).all():
                words = "clip {clip}: {node} is left out, as clip {other} says otherwise of the same frames"
                self._findings.lose(words, clip=clip.name, node=name, other=other)
        self._taken.append((clip.name, low, high, held))

    def note_shared(self, clips: Mapping[str, GameClip]) -> None:
        """Report the other clips that play frames that were changed."""
        for taken, low, high, _ignored in self._taken:
            ranges = ((name, *clip.range) for name, clip in clips.items() if name != taken)
            shared = [name for name, first, last in ranges if first < high and low < last]
            if shared:
                words = "frames of clip {clip} are played by others too: {names}"
                self._findings.note(words, clip=taken, names=", ".join(shared))


def _is_one_pose(tracks: Sequence[Track]) -> bool:
    """Whether nothing moves in tracks, nor from one to the next."""
    points = [it.some([0]) for it in tracks]
    return all(Curve(it).is_constant(0, 0) for it in tracks) and not any(
        changed_points(points[0], it, 1e-5) for it in points
    )


def _in_frames(track: Track, played: Played) -> Track:
    """A track of a clip, in seconds, at the frames of its range; in the order of these."""
    first, last = played.first if played.second is None else (0.0, played.seconds)
    # Played backwards, from frame 40 to 16, frames fall while seconds rise: the keys are turned round below.
    share = track.times / played.seconds if played.seconds > 0 else np.zeros(len(track.times))
    frames = first + share * (last - first)
    # Clips of no length squeeze all keys into one frame; the first of them stays.
    kept = np.flatnonzero(np.append(True, np.abs(np.diff(frames)) > 0))
    order = kept[::-1] if last < first else kept
    return Track(frames, track.positions, track.rotations).some(order)


def _with_range(strip: Track, part: Track, ends: tuple[float, float], count: int) -> Track:
    """A track with other points between two frames; before and after them it stays as it is."""
    low, high = ends
    curve = Curve(strip)
    is_inside = (part.times >= low - SAME_TIME) & (part.times <= high + SAME_TIME)
    # What the clip does not play stays; a key on the edge belongs to the clip.
    early, late = strip.times < low - SAME_TIME, strip.times > high + SAME_TIME
    for edge in ends:
        # an end of the range that is no key of the strip, and is where that has it, is no key
        if _has_key(strip, edge, edge) or _differs(curve, part, edge):
            continue
        others = is_inside & (np.abs(part.times - edge) > SAME_TIME)
        bare = Track.joined([strip.some(early), part.some(others), strip.some(late)])
        # Without it, a change beside it would spread to the next key of another clip.
        if len(bare.times) and not _differs(Curve(bare), part, edge):
            is_inside = others
    pieces = [strip.some(early), part.some(is_inside), strip.some(late)]
    if early.any() and _differs(curve, part, low) and not _has_key(strip, low - 1, low - 2 * SAME_TIME):
        # Without a key just before it, the change would spread back to the last key of another clip.
        pieces.insert(1, curve.at(np.array([low - 1.0])))
    is_held = late.any() or high + 1 < count
    if is_held and _differs(curve, part, high) and not _has_key(strip, high + 2 * SAME_TIME, high + 1):
        pieces.insert(-1, curve.at(np.array([high + 1.0])))
    return Track.joined(pieces)


def _has_key(track: Track, low: float, high: float) -> bool:
    return bool(((track.times >= low - SAME_TIME) & (track.times <= high + SAME_TIME)).any())


def _differs(curve: Curve, part: Track, frame: float) -> bool:
    """Whether a part is elsewhere than a curve at a frame."""
    here, there = (it.at(np.array([frame])) for it in (curve, Curve(part)))
    return bool(changed_points(here, there, 1e-5))
