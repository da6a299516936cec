"""Notes on what does not follow an edited payload: frames that controllers play, names in the registry.

A controller in the archive of the model follows its frames. A controller in another file, one that moves
other models too, one that was declined, and clips of which only one node was moved stay as they are. The
registry is a file of its own.

Source: spec/ctl.md, spec/objects.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np
from msgspec import Struct

from viewer.errors import MshviewError
from viewer.formats import objects
from viewer.formats.archive import nres
from viewer.formats.neighbors import control
from viewer.formats.text import decode, encode, fold
from viewer.model.clips import found_controller
from viewer.model.clips.clip import Frames
from viewer.model.clips.controller import Controller, read_controller
from viewer.model.edit.draft import FrameMove, Times
from viewer.model.edit.nodes.track_edit import SetFrameCount
from viewer.model.edit.plan import Plan
from viewer.model.game import game_folder
from viewer.model.game.registry import REGISTRY, Game
from viewer.model.mesh.model import Model
from viewer.model.store.address import CURRENT, Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import read_archive
from viewer.translation import _

MOST: Final = 100
"""Clips and channels of a controller that are told one by one."""


class _Range(Struct, frozen=True):
    """The frames that a clip or a channel plays: before the edit, and as they are stored after it."""

    name: str
    before: Frames
    after: Frames
    node: int | None = None


def clip_notes(
    library: FileStore, address: Address, made: Plan, payloads: Iterable[tuple[Address, Plan]]
) -> Iterator[str]:
    """A note for each range of a controller that does not play what it played.

    Parameters
    ----------
    address, made
        A model and its plan.
    payloads
        What is edited with it, controllers that follow included.
    """
    counts = [step.change.count for step in made.steps if isinstance(step.change, SetFrameCount)]
    if not made.moves.frames and not counts:
        return
    written = {it: plan.after for it, plan in payloads}
    frames = Model.read(made.before).frame_count
    game = game_folder.around(library, address.path.parent)
    for found in dict.fromkeys(found_controller.addresses(library, library.open(address), game)):
        with suppress(MshviewError):
            data = library.open(found).data
            old = read_controller(CURRENT, control.decode(data))
            # With what follows in the same step, so that only ranges that stay behind are told.
            new = read_controller(CURRENT, control.decode(written.get(found, data)))
            ranges = [*_ranges(old, new)]
            notes = [*_moved(found.name, ranges, made.moves.frames, frames)]
            if counts and counts[-1] < frames:
                notes += _beyond(found.name, ranges, counts[-1])
            yield from islice(notes, MOST)
            if len(notes) > MOST:
                words = "and {count} more clips and channels of {controller}"
                yield _(words, count=len(notes) - MOST, controller=found.name)


def _ranges(old: Controller, new: Controller) -> Iterator[_Range]:
    # New states come last, and have played nothing before.
    for was, now in zip(old.clips, new.clips, strict=False):
        name = _("clip {clip}", clip=was.name)
        yield _Range(name, was.frames_a, now.frames_a)
        if was.frames_b is not None and now.frames_b is not None:
            yield _Range(name, was.frames_b, now.frames_b)
    for one, other in zip(old.channels, new.channels, strict=True):
        name = _("channel {index}", index=one.index)
        yield _Range(name, (one.first, one.last), (other.first, other.last), one.node)


def _moved(name: str, ranges: Iterable[_Range], moves: Sequence[FrameMove], frames: int) -> Iterator[str]:
    """A note for each range that does not go where its frames go."""
    whole = np.arange(frames, dtype=np.float64)
    for node in dict.fromkeys(move.node for move in moves):
        of_node = [move for move in moves if move.node in (None, node)]
        positions = _positions(of_node, whole)
        for it in ranges:
            # Negative frames stand for "no range".
            is_played = np.isfinite(it.before).all() and min(it.before) >= 0
            if not is_played or (it.node is not None and node is not None and it.node != node):
                continue
            goes_to = _positions(of_node, np.array(it.before))
            # Compared as they are stored: what was moved in double is rounded to a single float.
            if not np.array_equal(goes_to.astype(np.float32), np.asarray(it.after, np.float32)):
                covered = whole[(positions >= min(it.after)) & (positions <= max(it.after))]
                yield _words(name, it, goes_to.tolist(), covered.tolist(), node)


def _positions(moves: Iterable[FrameMove], times: Times) -> Times:
    """Positions of frames after moves, one after the other, (n,)."""
    for move in moves:
        times = move.positions(times)
    return times


def _words(
    name: str, it: _Range, goes_to: Sequence[float], covered: Sequence[float], node: int | None
) -> str:
    shown = _("nothing that was there before")
    if covered:
        shown = _("what was at {first:g} to {last:g}", first=min(covered), last=max(covered))
    of_node = "" if node is None else _(" of node {node}", node=node)
    named = {"range": it.name, "controller": name, "of_node": of_node, "shown": shown}
    words = (
        "{range} of {controller} plays frames {first:g} to {last:g}{of_node}, which now show {shown}; "
        "what it played is at {low:g} to {high:g}"
    )
    first, last = it.after
    low, high = goes_to
    return _(words, **named, first=first, last=last, low=low, high=high)


def _beyond(name: str, ranges: Iterable[_Range], count: int) -> Iterator[str]:
    """A note for each range that goes beyond the last frame of a shorter animation."""
    for it in ranges:
        first, last = it.after
        # Frames count from 0: of 30 frames 29 is the last.
        if np.isfinite(it.after).all() and min(it.after) >= 0 and max(it.after) > count - 1:
            words = "{range} of {controller} plays frames {first:g} to {last:g}; the last frame is {end} now"
            yield _(words, range=it.name, controller=name, first=first, last=last, end=count - 1)


MOST_NAMES: Final = 3
"""Entries, and objects, that a note names."""


def find_notes(library: FileStore, address: Address, made: Plan) -> Iterator[str]:
    """A note if objects of the registry refer to entries of an archive that are renamed or removed."""
    lost = {} if address.entries else _lost(made)
    registry = Game(address.path.parent, library).registry if lost else None
    if registry is None:
        return
    found = [(user, name) for user, name in _references(registry.archive, address.path) if name in lost]
    if found:
        names, users = (
            _names(lost[name] for _ignored, name in found),
            _names(user for user, _ignored in found),
        )
        words = "{registry} still refers to {entries}, in {objects}"
        yield _(words, registry=decode(REGISTRY), entries=names, objects=users)


def _lost(made: Plan) -> dict[bytes, str]:
    """The stored names that no entry has any more, by how they are compared."""
    if not made.splices:
        return {}
    old, new = read_archive(made.before), read_archive(made.after)
    if old is None or new is None:
        return {}
    names = {fold(entry.name) for entry in new.entries}
    return {fold(entry.name): entry.text for entry in old.entries if fold(entry.name) not in names}


def _references(registry: nres.Archive, archive: Path) -> Iterator[tuple[str, bytes]]:
    """Objects and the entries of an archive that they refer to."""
    try:
        requested = fold(encode(archive.name))
    except ValueError:
        return
    for entry in registry.entries:
        if entry.is_damaged:
            continue
        for holder, resource in objects.decode(registry.payload(entry.index)).pairs:
            if fold(holder.strip()) == requested:
                yield entry.text, fold(resource.strip())


def _names(names: Iterable[str]) -> str:
    """Names, each once, at most `MOST_NAMES`."""
    once = [*dict.fromkeys(names)]
    shown = ", ".join(once[:MOST_NAMES])
    if len(once) <= MOST_NAMES:
        return shown
    return _("{names} and {count} more", names=shown, count=len(once) - MOST_NAMES)
