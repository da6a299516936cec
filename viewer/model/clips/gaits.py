"""Guesses of what the states of a controller are for, and which of them are played in a row.

Source: spec/ctl.md, Playing. Status: guess.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.formats.neighbors.control import Control
from viewer.formats.record import Rows
from viewer.model.clips.clip import Gait

STANDING: Final = 2.0
"""Fastest movement, m/s, of a state in which the model stands."""

LONGEST: Final = 256
"""States of a chain that are played in a row."""


def gaits(states: Rows) -> list[Gait | None]:
    """The guess for each state; None where its boxes say nothing."""
    low, high = (states[name][:, 1].astype(np.float64) for name in ("velocity_min", "velocity_max"))
    spin_low, spin_high = (states[name][:, 2].astype(np.float64) for name in ("spin_min", "spin_max"))
    stands = (low >= -STANDING) & (high <= STANDING)
    turns = stands & ((spin_low > 0) | (spin_high < 0))
    forward, backward = ~stands & (low + high > 0), ~stands & (low + high < 0)
    slowest = high[forward].min(initial=np.inf)
    runs = forward & (low >= slowest)
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
    following = _following(control.costs["cost"])
    return [_from(state, following) for state in range(count)]


def _following(cost: npt.NDArray[np.float32]) -> list[int | None]:
    """The state after each one; rows of `cost` are destinations, (n, n)."""
    is_free = (cost == 0) & ~np.eye(len(cost), dtype=np.bool_)
    has_one = np.asarray(is_free.sum(axis=0) == 1)
    return [
        int(state) if known else None for state, known in zip(is_free.argmax(axis=0), has_one, strict=True)
    ]


def _from(state: int, following: list[int | None]) -> tuple[int, ...]:
    chain = {state: None}
    after = following[state]
    while after is not None and after not in chain and len(chain) < LONGEST:
        chain[after] = None
        after = following[after]
    return tuple(chain)
