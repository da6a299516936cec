"""Controllers (``.ctl``): which frames are a state of the body, and which nodes are driven on their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from struct import pack

import numpy as np

from assets.sample.spec import ModelSpec
from viewer.formats.neighbors import component, control
from viewer.formats.record import Rows

NO_WAY = 1e6
"""Cost of a change of state that does not happen."""
NOTHING = -1
NO_GROUP = 0xFF
GROUP_NUMBERS = 21

WRAPS = 0x01
NOT_DRIVEN = 0x04
GUN_MOUNT = 0x08
TAKES_PREVIOUS = 0x40
PLAYS_MATERIAL = 0x10

FORWARD_AND_SPIN = 0x42
"""The axes whose boxes count: velocity along y, spin about z."""
ANCHOR = 0x1
BY_VELOCITY = 0x10000

EFFECTS = "effects.rlb"
ON_NODE, ON_POINTS, ON_SPHERE, SWITCH_ON, SWITCH_OFF = 3, 4, 5, 18, 19
LOAD, CRITICAL, MENDED = 0, 6, 7
GUN, DEVICE, ENGINE, RADAR = 2, 3, 5, 8
"""Classes of components."""
FORWARD_SPEED, SPIN_LEFT, SPIN_RIGHT = 12, 4, 7
"""Selectors of inputs."""

Range = tuple[float, float]


@dataclass(frozen=True)
class Start:
    """A record of a group: what it does with an effect.

    Parameters
    ----------
    action
        What it does.
    values
        Nodes, control points or effects, then the id of an effect that it places.
    name
        The effect; empty for an action on one that was placed.
    archive
        Its archive.
    """

    action: int
    values: tuple[int, int, int, int] = (0, 0, 0, 0)
    name: str = ""
    archive: str = EFFECTS


@dataclass(frozen=True)
class State:
    """A movement of the body.

    Parameters
    ----------
    frames
        First and last frame; the first may be the greater one.
    seconds
        Duration from the first to the last.
    speed
        Range of the speed forward (+Y) for which it is chosen, m/s.
    spin
        Range of the spin about Z, rad/s; positive to the left.
    blended, weight
        A second pair of frames, and its share of the pose.
    mode
        Mode of movement.
    """

    frames: Range
    seconds: float
    speed: Range = (-0.5, 0.5)
    spin: Range = (-0.25, 0.25)
    blended: Range = (NOTHING, NOTHING)
    weight: float = 0.0
    mode: int = BY_VELOCITY


@dataclass(frozen=True)
class Channel:
    """A node that plays its own frames.

    Parameters
    ----------
    node
        Its name.
    frames
        First frame (value 0) and last one (value 1).
    initial
        The value at the start.
    rate
        Values per second.
    span
        Angle between the first and the last frame, degrees.
    flags
        Mode of the channel.
    """

    node: str
    frames: Range
    initial: float = 0.0
    rate: float = 0.0
    span: float = 0.0
    flags: int = 0


@dataclass(frozen=True)
class Part:
    """A component.

    Parameters
    ----------
    kind
        Its class.
    node
        The name of its node; the first node without one.
    channels
        The channels that it drives.
    inputs, weights
        The selectors of both inputs of its rate, and their weights.
    group
        The group that it starts.
    power
        What it draws or gives.
    label
        What fits the slot that it is.
    """

    kind: int
    node: str = ""
    channels: Sequence[int] = ()
    inputs: tuple[int, int] = (0, 0)
    weights: tuple[float, float] = (1.0, 1.0)
    group: int = NOTHING
    power: float = 0.0
    label: str = ""


@dataclass(frozen=True)
class Controller:
    """A whole controller.

    Parameters
    ----------
    states
        States by name; the names are not stored.
    ways
        Cost of changing from one state to another; no way between other states.
    channels
        Driven nodes.
    contacts
        Control points that touch the ground in every state, and the group that each starts.
    groups
        What starts effects.
    on
        The group of each event: an index of the 21 group numbers, and of the groups.
    parts
        Its components.
    top_speed, turn_rate, lean
        Limits along or about x, y, z.
    dead_seconds
        Time for which a dead object stays.
    """

    states: Mapping[str, State] = field(default_factory=dict)
    ways: Mapping[tuple[str, str], float] = field(default_factory=dict)
    channels: Sequence[Channel] = ()
    contacts: Sequence[tuple[int, int]] = ()
    groups: Sequence[Sequence[Start]] = ()
    on: Mapping[int, int] = field(default_factory=dict)
    parts: Sequence[Part] = ()
    top_speed: tuple[float, float, float] = (0.0, 0.0, 0.0)
    turn_rate: tuple[float, float, float] = (6.28, 6.28, 6.28)
    lean: tuple[float, float, float] = (0.0, 0.0, 0.0)
    dead_seconds: float = 20.0


def controller_bytes(controller: Controller, spec: ModelSpec) -> bytes:
    """The file of the controller of `spec`."""
    counts = control.COUNTS.new()
    counts["states"], counts["contacts"] = len(controller.states), len(controller.contacts)
    counts["channels"], counts["groups"] = len(controller.channels), len(controller.groups)
    counts["components"] = len(controller.parts)
    parts = tuple(_part(it, spec) for it in controller.parts)
    rest = b"".join([_numbers(controller), *map(_group, controller.groups)])
    return control.encode(
        control.Control(
            counts[0], _parameters(controller)[0], _states(controller), _costs(controller),
            _channels(controller, spec), parts, rest,
        )
    )  # fmt: skip


def _part(part: Part, spec: ModelSpec) -> component.ControllerComponent:
    row, label = component.COMPONENT.new(1)[0], part.label.encode("ascii")
    row["class"], row["node"] = part.kind, spec.number(part.node) if part.node else 0
    row["flags"] = part.inputs[0] << 8 | part.inputs[1] << 16
    row["group"], row["groups"], row["switch"] = part.group, NOTHING, NOTHING
    row["power"], row["weights"], row["channel_count"] = part.power, part.weights, len(part.channels)
    driven = component.DRIVEN.new(len(part.channels))
    driven["channel"] = part.channels
    text = component.label_record(len(label)).new(1)[0]
    text["length"] = len(label)
    if label:
        text["text"] = label
    return component.ControllerComponent(row, driven, text)


def _numbers(controller: Controller) -> bytes:
    """The 21 group numbers."""
    return pack(f"<{GROUP_NUMBERS}i", *(controller.on.get(slot, NO_GROUP) for slot in range(GROUP_NUMBERS)))


def _group(starts: Sequence[Start]) -> bytes:
    records = (
        pack(
            "<3I6i32s32s",
            0,
            0,
            0,
            it.action,
            *it.values,
            0,
            *(word.encode("ascii") for word in (it.archive if it.name else "", it.name)),
        )
        for it in starts
    )
    return pack("<i", len(starts)) + b"".join(records)


def _parameters(controller: Controller) -> Rows:
    row = control.PARAMETERS.new()
    row["acceleration"] = (0.0, max(1.0, controller.top_speed[1]), 0.0)
    row["top_speed"], row["turn_rate"], row["lean"] = (
        controller.top_speed,
        controller.turn_rate,
        controller.lean,
    )
    row["righting"] = 1.0
    row["dead_milliseconds"] = round(1000 * controller.dead_seconds)
    row["slope_brakes"], row["slope_cone"] = 2, 1.57079
    row["unknown_0x6c"] = row["unknown_0x78"] = NOTHING
    row["payload"] = np.finfo(np.float32).max
    return row


def _states(controller: Controller) -> Rows:
    rows = control.state_record(len(controller.contacts)).new(len(controller.states))
    for row, state in zip(rows, controller.states.values(), strict=True):
        row["axes"], row["mode"] = FORWARD_AND_SPIN, state.mode
        row["frames_a"], row["frames_b"], row["weight_b"] = state.frames, state.blended, state.weight
        row["milliseconds"], row["engine"] = round(1000 * state.seconds), 1.0
        row["velocity_min"], row["velocity_max"] = (-1, state.speed[0], -1), (1, state.speed[1], 1)
        row["spin_min"], row["spin_max"] = (0, 0, state.spin[0]), (0, 0, state.spin[1])
        row["action"] = NOTHING
        row["contacts"] = np.reshape([(point, 0, group, 0) for point, group in controller.contacts], (-1, 4))
    return rows


def _costs(controller: Controller) -> Rows:
    """The matrix of the ways; a row is a destination."""
    count = len(controller.states)
    costs = np.full((count, count), NO_WAY, "<f4")
    np.fill_diagonal(costs, 0.0)
    number = {name: index for index, name in enumerate(controller.states)}
    for (start, end), cost in controller.ways.items():
        costs[number[end], number[start]] = cost
    rows = control.cost_record(count).new(count)
    rows["cost"] = costs
    return rows


def _channels(controller: Controller, spec: ModelSpec) -> Rows:
    rows = control.CHANNEL.new(len(controller.channels))
    for row, channel in zip(rows, controller.channels, strict=True):
        row["node"] = spec.number(channel.node)
        row["first"], row["last"] = channel.frames
        row["initial"], row["rate"], row["span"] = channel.initial, channel.rate, np.radians(channel.span)
        row["points"], row["flags"] = NOTHING, channel.flags
    return rows
