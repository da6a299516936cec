"""Guesses: what the states of a controller are for, which are a chain, how a channel moves its node.

Source: spec/ctl.md, Playing. Status: guess.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from viewer.formats.neighbors.control import Control
from viewer.formats.record import Rows
from viewer.model.clips.clip import Channel, Gait, Movement
from viewer.model.mesh.pose.animation import Animation, Sample

STANDING: Final = 2.0
"""Fastest movement, m/s, of a state in which the model stands."""

LONGEST: Final = 256
"""States of a chain that are played in a row."""


def gaits(states: Rows) -> list[Gait | None]:
    """The guess for each state; None where its boxes say nothing."""
    with np.errstate(invalid="ignore"):  # a signalling NaN becomes a quiet one
        low, high = (states[name][:, 1].astype(np.float64) for name in ("velocity_min", "velocity_max"))
        spin_low, spin_high = (states[name][:, 2].astype(np.float64) for name in ("spin_min", "spin_max"))
    stands = (low >= -STANDING) & (high <= STANDING)
    turns = stands & ((spin_low > 0) | (spin_high < 0))
    forward, backward = ~stands & (low + high > 0), ~stands & (low + high < 0)
    # The forward state with the lowest top speed walks; one that begins where that ends runs.
    slowest = high[forward].min(initial=np.inf)
    runs = forward & (low >= slowest)
    # The first that holds: a state that turns stands as well.
    chosen = np.select(
        [turns, stands, runs, forward, backward],
        [Gait.TURN, Gait.STAND, Gait.RUN, Gait.WALK, Gait.BACKWARD],
        default="",
    )
    return [Gait(gait) if gait else None for gait in chosen.tolist()]


def chains(control: Control) -> list[tuple[int, ...]]:
    """The states that are played in a row with each state, in the order from that state on.

    A state is followed by another if that is the only one that is reached from it at no cost.
    """
    count = len(control.states)
    if not count or len(control.costs) != count:
        return [(state,) for state in range(count)]
    cost = control.costs["cost"]  # from the state of a column to that of a row
    is_free = (cost == 0) & ~np.eye(len(cost), dtype=np.bool_)
    has_one = np.asarray(is_free.sum(axis=0) == 1)
    following = [
        int(state) if known else None for state, known in zip(is_free.argmax(axis=0), has_one, strict=True)
    ]
    return [_from(state, following) for state in range(count)]


def _from(state: int, following: list[int | None]) -> tuple[int, ...]:
    chain = {state: None}
    after = following[state]
    while after is not None and after not in chain and len(chain) < LONGEST:
        chain[after] = None
        after = following[after]
    return tuple(chain)


STEPS: Final = (0.0, 0.1, 1.0)
"""Values at which a node is looked at: a turn that ends where it began is seen on the way."""
# Components are stored in steps of 1/32767, some 3e-5: rounding alone stays below.
LEAST_TURN: Final = 1e-3
"""Smallest vector part of a quaternion that counts as a turn."""
LEAST_SLIDE: Final = 1e-4
_TURNS: Final = (Movement.PITCH, Movement.ROLL, Movement.YAW)
"""By axis: x to the right, y to the front, z up."""


def with_movements(channels: tuple[Channel, ...], animation: Animation) -> tuple[Channel, ...]:
    """The channels with the guess for each; None for one whose node does not move."""
    count = len(animation.skeleton.parents)
    known = [it for it in channels if 0 <= it.node < count and np.isfinite((it.first, it.last)).all()]
    if not known:
        return channels
    nodes = np.array([channel.node for channel in known])
    samples = [
        animation.sample_nodes(nodes, np.array([it.frame(step) for it in known], np.float32))
        for step in STEPS
    ]
    found = dict(zip((it.index for it in known), _movements(samples), strict=True))
    return tuple(replace(it, movement=found.get(it.index)) for it in channels)


def _movements(samples: list[Sample]) -> list[Movement | None]:
    start, *later = samples
    turn = np.abs([_turned(start.quaternion, it.quaternion) for it in later]).max(axis=0)
    slide = np.abs([it.position - start.position for it in later]).max(axis=(0, 2))
    axis, size = turn.argmax(axis=1), turn.max(axis=1)
    return [
        _TURNS[along] if much > LEAST_TURN else Movement.SLIDE if far > LEAST_SLIDE else None
        for along, much, far in zip(axis.tolist(), size.tolist(), slide.tolist(), strict=True)
    ]


def _turned(before: npt.NDArray[np.float32], after: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The vector part of the turn from one orientation to another in the parent's space, (n, 3)."""
    w0, v0, w1, v1 = before[:, :1], before[:, 1:], after[:, :1], after[:, 1:]
    # The vector part of q1 * conjugate(q0) is w0 v1 - w1 v0 - v1 x v0, and -v1 x v0 is v0 x v1.
    turned: npt.NDArray[np.float32] = w0 * v1 - w1 * v0 + np.cross(v0, v1)
    return turned
