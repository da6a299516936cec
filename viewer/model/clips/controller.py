"""The controller of a model as it is played: clips, channels, and the effects that it starts.

Source: spec/ctl.md.
"""

from __future__ import annotations

from collections import Counter
from math import isfinite
from typing import Any, Final

from msgspec import Struct

from viewer.diagnostics import Diagnostic
from viewer.formats.neighbors.component import ControllerComponent
from viewer.formats.neighbors.control import WHILE_DESTROYED, WHILE_INTACT, Control
from viewer.model.clips.clip import Channel, Clip, Frames
from viewer.model.clips.found_controller import FoundController, problem_of
from viewer.model.clips.guesses import chains, gaits
from viewer.model.clips.machinery import Drive, drives_of
from viewer.model.clips.started_effects import StartedEffect, started_effects
from viewer.model.store.address import Address

NO_REQUEST: Final = -1
MOST: Final = 10_000
"""Clips and channels of a controller that are played."""


class Controller(Struct, frozen=True):
    """The clips, channels and components that a model can play.

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
    components
        Its components.
    drives
        The channels that components drive by themselves.
    """

    address: Address | None = None
    others: tuple[Address, ...] = ()
    clips: tuple[Clip, ...] = ()
    channels: tuple[Channel, ...] = ()
    problem: Diagnostic | None = None
    started: tuple[StartedEffect, ...] = ()
    components: tuple[ControllerComponent, ...] = ()
    drives: tuple[Drive, ...] = ()

    @property
    def belts(self) -> tuple[int, ...]:
        """The nodes whose materials channels play."""
        return tuple(it.channel.node for it in self.drives if it.channel.plays_material)

    def clip(self, index: int | None) -> Clip | None:
        """The clip of an index, or None."""
        return None if index is None or not 0 <= index < len(self.clips) else self.clips[index]

    def drivers(self, channel: int) -> tuple[ControllerComponent, ...]:
        """The components that drive a channel, which name it, in the order of the file.

        Those of the channel before it drive a channel that takes its value.
        """
        while 0 < channel < len(self.channels) and self.channels[channel].follows_previous:
            channel -= 1
        return tuple(it for it in self.components if channel in it.channels)

    def clip_named(self, name: str) -> Clip | None:
        """The clip of a name, ignoring case, or None."""
        return next((clip for clip in self.clips if clip.name.casefold() == name.casefold()), None)


NO_CONTROLLER: Final = Controller()


def of_found(found: FoundController) -> Controller:
    """The clips and channels of a controller that was found; empty if it cannot be read."""
    if found.decoded is None:
        return Controller(found.address, found.others, problem=found.problem)
    played, moved = clips(found.decoded), channels(found.decoded)
    started = started_effects(found.decoded)
    components = found.decoded.components
    drives = drives_of(components, moved)
    return Controller(found.address, found.others, played, moved, found.problem, started, components, drives)


def read_controller(address: Address, decoded: Control) -> Controller:
    """The clips and channels of a decoded controller."""
    return of_found(FoundController(address, decoded=decoded, problem=problem_of(address, decoded)))


def clips(decoded: Control) -> tuple[Clip, ...]:
    """The states as clips."""
    states = decoded.states[:MOST]
    rows = [states[name].tolist() for name in ("frames_a", "frames_b", "weight_b", "milliseconds")]
    counted: Counter[object] = Counter()
    found = []
    requests, contacts_of = states["action"][:, 2].tolist(), states["contacts"].tolist()
    # The chains are those of all states, also of states beyond the limit.
    columns = zip(*rows, gaits(states), chains(decoded), requests, contacts_of, strict=False)
    for index, column in enumerate(columns):
        frames_a, frames_b, weight_b, milliseconds, gait, chain, request, contacts = column
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
                None if request == NO_REQUEST else request,
                *_points(contacts),
            )
        )
    return tuple(found)


def _points(contacts: list[list[int]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The control points of contacts whose nodes have to be there, and those whose nodes have to be lost."""
    intact, destroyed = (
        tuple(point for point, flags, *_ignored in contacts if flags & flag)
        for flag in (WHILE_INTACT, WHILE_DESTROYED)
    )
    return intact, destroyed


def _pair(frames: list[float]) -> Frames | None:
    """The second pair of a state; negative frames mean that there is none."""
    first, last = frames
    return None if first < 0 or last < 0 else (first, last)


def channels(decoded: Control) -> tuple[Channel, ...]:
    """The channels of a controller, at most `MOST`."""
    names = ("node", "first", "last", "initial", "rate", "span", "flags")
    rows: list[list[Any]] = [decoded.channels[:MOST][name].tolist() for name in names]
    return tuple(Channel(index, *row) for index, row in enumerate(zip(*rows, strict=True)))
