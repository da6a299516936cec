"""The controller of a model: found through the registry, or by the model's stem, and read.

Source: spec/ctl.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import Any, Final

from viewer.dataclass import dataclass
from viewer.errors import Diagnostic, MshviewError, Severity
from viewer.formats.neighbors import control
from viewer.formats.neighbors.control import Control
from viewer.model.clips.clip import Channel, Clip, Frames
from viewer.model.clips.guesses import chains, gaits
from viewer.model.clips.started_effects import StartedEffect, started_effects
from viewer.model.game.registry import SUFFIX, ControllerIndex, Game, existing, names_archive
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.translation import _

MOST: Final = 10_000
"""Clips and channels of a controller that are played."""


@dataclass(frozen=True, slots=True)
class Controller:
    """What a model can play.

    Attributes
    ----------
    address
        Address of the controller; None if the model has none.
    others
        Further controllers that the registry names for the model.
    clips, channels
        Its states and its channels; empty if it cannot be read.
    problem
        Why it cannot be read, or not all of it; None if there is nothing wrong.
    started
        The effects that it starts.
    """

    address: Address | None = None
    others: tuple[Address, ...] = ()
    clips: tuple[Clip, ...] = ()
    channels: tuple[Channel, ...] = ()
    problem: Diagnostic | None = None
    started: tuple[StartedEffect, ...] = ()

    def clip(self, index: int | None) -> Clip | None:
        """The clip of an index, or None."""
        return None if index is None or not 0 <= index < len(self.clips) else self.clips[index]

    def clip_named(self, name: str) -> Clip | None:
        """The clip of a name, ignoring case, or None."""
        return next((clip for clip in self.clips if clip.name.casefold() == name.casefold()), None)


NO_CONTROLLER: Final = Controller()


def of_model(library: FileStore, model: Item, game: Path | None, given: Address | None = None) -> Controller:
    """The controller of a model, looked up in a game folder or, without one, beside it.

    `given` is used instead of it; raises `MshviewError` if there is nothing at that address.
    """
    found = [*addresses(library, model, game)]
    if given is not None:
        library.open(given)
        found = [given, *(address for address in found if address != given)]
    if not found:
        return NO_CONTROLLER
    address, *others = found
    try:
        item = library.open(address)
        decoded = item.decoded(control.decode)
    except MshviewError as error:
        text = _("the controller {address} cannot be read: {error}", address=address, error=error.text)
        return Controller(address, tuple(others), problem=Diagnostic("", Severity.WARNING, text))
    return read_controller(address, decoded, tuple(others))


def read_controller(address: Address, decoded: Control, others: tuple[Address, ...] = ()) -> Controller:
    """The clips and channels of a decoded controller."""
    problem = None
    lost = next((it for it in decoded.diagnostics if it.severity is Severity.ERROR), None)
    if lost is not None:
        words = "not all of the controller {address} can be read: {problem}"
        problem = Diagnostic(lost.rule, Severity.WARNING, _(words, address=address, problem=lost.text))
    started = started_effects(decoded)
    return Controller(address, others, clips(decoded), channels(decoded), problem, started)


def addresses(library: FileStore, model: Item, game: Path | None) -> Iterator[Address]:
    """The controllers of a model, the one that is used first.

    Those that the registry names with the model; if it does not name the model, or without a registry, the
    one with the model's stem in the same archive or folder.
    """
    index = None if game is None else ControllerIndex.of(library, game)
    holder = model.holder
    archive = b"" if holder is None else holder.name
    named = index.controllers(archive, model.name) if index else None
    if named is not None and game is not None:
        for reference in named:
            own = holder if holder and names_archive(reference, archive) else None
            yield from existing(Game(game.absolute(), library), reference, own)
        return
    try:
        item = library.sibling(model, SUFFIX.decode())
    except MshviewError:
        return
    if item is not None:
        yield item.address


def clips(decoded: Control) -> tuple[Clip, ...]:
    """The states as clips."""
    states = decoded.states[:MOST]
    rows = [states[name].tolist() for name in ("frames_a", "frames_b", "weight_b", "milliseconds")]
    counted: Counter[object] = Counter()
    found = []
    columns = zip(*rows, gaits(states), chains(decoded), strict=False)
    for index, (frames_a, frames_b, weight_b, milliseconds, gait, chain) in enumerate(columns):
        counted[gait] += 1
        found.append(
            Clip(
                index,
                gait,
                counted[gait],
                tuple(frames_a),
                _pair(frames_b),
                weight_b,
                # 0 means by stride and speed: there is no length, as there is none in NaN or below 0.
                milliseconds / 1000 if isfinite(milliseconds) and milliseconds > 0 else None,
                # States beyond the limit have no clip.
                tuple(state for state in chain if state < MOST),
            )
        )
    return tuple(found)


def _pair(frames: list[float]) -> Frames | None:
    """The second pair of a state; negative frames mean that there is none."""
    first, last = frames
    return None if first < 0 or last < 0 else (first, last)


def channels(decoded: Control) -> tuple[Channel, ...]:
    """The channels."""
    names = ("node", "first", "last", "initial", "rate", "span", "flags")
    rows: list[list[Any]] = [decoded.channels[:MOST][name].tolist() for name in names]
    return tuple(Channel(index, *row) for index, row in enumerate(zip(*rows, strict=True)))
