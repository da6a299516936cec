"""Streams: particles that leave one after the other, replayed from the start of the effect.

Source: spec/effects.md 6 (type 8), 11, 14, 15.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from msgspec import Struct

from viewer.geometry.transforms import Indices
from viewer.model.effects.blocks import DRAWS, EffectBlocks
from viewer.model.effects.chance import Reals, drawn, mixed
from viewer.model.effects.clock import UPDATES, EffectClock, updates
from viewer.model.effects.curves import power

MOST_WORK: Final = 500_000
"""Updates of all streams together that a replay makes."""
KEPT: Final = 64
"""Histories of streams that are kept, each of at most `LONGEST` updates."""
LONGEST: Final = 8192
FEW: Final = 64
"""Emissions at once up to which the clock of a stream is added up one by one, as the game does."""


Emissions = tuple[int, float, float]
"""Number of particles that have left, the time of the last one, and the interval now."""
NOTHING: Final[Emissions] = (0, 0.0, 0.0)


class StreamParticles(Struct, frozen=True, eq=False):
    """The particles of a stream, in the order in which they left.

    Attributes
    ----------
    block
        Index of the block, (n,).
    number
        Numbers of their emissions, (n,).
    age
        0 to 1, (n,).
    position, size
        In instance space, (n, 3) each.
    alpha, phase
        (n,).
    """

    block: Indices
    number: Indices
    age: Reals
    position: Reals
    size: Reals
    alpha: Reals
    phase: Reals


def particles(
    blocks: EffectBlocks, row: int, clock: EffectClock, seconds: float, count: int
) -> StreamParticles:
    """The particles of one of `count` streams some seconds after it was made; `row` is that of its table."""
    table = blocks.streams
    ring, most, block = int(table.ring[row]), int(table.most[row]), int(table.block[row])
    sent, last, interval = emissions(blocks, row, clock, seconds, count)
    number = np.arange(max(0, sent - min(ring, most)) if interval > 0 else sent, sent)
    since = seconds - last
    with np.errstate(all="ignore"):
        # A particle lives as long as the ring takes to come round: ring intervals. The newest has been out
        # since `last`.
        age = (sent - 1 - number) / ring + since / np.float64(interval * ring)
    number = number[(age >= 0) & (age <= 1)]
    age = age[(age >= 0) & (age <= 1)]
    draws = drawn(mixed(clock.seed, block, number), DRAWS)
    own = np.full(len(number), row)
    exponent = table.phase[row]
    return StreamParticles(
        np.full(len(number), block),
        number,
        age,
        table.position.rows(own, draws[1:4]).at(age),
        table.size.rows(own, draws[4:7]).at(age),
        table.fade.rows(own).at(age),
        draws[0] if exponent < 0 else power(age, np.array(exponent)),
    )


def emissions(blocks: EffectBlocks, row: int, clock: EffectClock, seconds: float, count: int) -> Emissions:
    """Emissions of a stream, replayed from the start, a hundred updates a second and one now.

    The first particle leaves at the first update inside the window, and at most one ring at once.
    """
    before = updates(seconds)[-max(1, MOST_WORK // count) :]
    # A history starts at 0; a replay cut to its last updates does not.
    if count <= KEPT and len(before) <= LONGEST and before[0] == 0:
        sent = _history(blocks, row, clock).after(len(before))
    else:
        sent = _replayed(blocks, row, clock, before, NOTHING)[-1]
    if before[-1] < seconds:
        (sent,) = _replayed(blocks, row, clock, np.array([seconds]), sent)
    return sent


class _History:
    """The emissions of a stream after each of its updates, replayed up to the latest asked for."""

    def __init__(self, blocks: EffectBlocks, row: int, clock: EffectClock) -> None:
        self._made_of = blocks, row, clock
        self._known: list[Emissions] = []

    def after(self, count: int) -> Emissions:
        """Emissions of the stream after a number of updates, at least 1."""
        first = len(self._known)
        if count > first:
            # A second ahead, so that playing on does not replay update by update.
            moments = np.arange(first, count + UPDATES) / UPDATES
            self._known += _replayed(*self._made_of, moments, self._known[-1] if first else NOTHING)
        return self._known[count - 1]


# Keyed by the blocks themselves, the row and all that the clock is made of: another seed, mode or value is
# another history.
_history = lru_cache(KEPT)(_History)


def _replayed(
    blocks: EffectBlocks, row: int, clock: EffectClock, moments: Reals, before: Emissions
) -> list[Emissions]:
    """Emissions of a stream after each of some updates, given those before them."""
    table = blocks.streams
    block, ring = int(table.block[row]), min(int(table.ring[row]), int(table.most[row]))
    time = clock.time(moments)
    inside = (blocks.start[block] <= time) & (time <= blocks.end[block])
    p = blocks.progress(time, np.array([block]))
    intervals = table.interval.rows(np.full(len(p), row)).at(p)
    count, last, _interval = sent = before
    found = []
    for now, is_inside, interval in zip(moments.tolist(), inside.tolist(), intervals.tolist(), strict=True):
        if is_inside:
            # The first leaves at the first update inside the window (effects.md 11).
            if not count:
                count, last = 1, now
            if last + interval < now:
                due, last = _due(last, interval, now, ring)
                count += due
            sent = count, last, interval
        found.append(sent)
    return found


def _due(last: float, interval: float, now: float, ring: int) -> tuple[int, float]:
    """Number of particles that leave at an update, and the time of the last of them."""
    if interval <= 0:
        return 0, last
    # Adding up thousands of intervals one by one would take long, and the sums differ in their last digits
    # alone.
    due = (now - last) / interval
    if due > FEW:
        sent = int(min(due, ring))
        return sent, last + sent * interval
    sent = 0
    while last + interval < now and sent < ring:
        last += interval
        sent += 1
    return sent, last
