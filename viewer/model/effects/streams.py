"""Streams: particles that leave one after the other, replayed from the start of the effect.

Source: spec/effects.md 6 (type 8), 11, 14, 15.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from viewer.dataclass import dataclass
from viewer.model.effects.blocks import DRAWS, EffectBlocks, Indices
from viewer.model.effects.chance import Reals, drawn, mixed
from viewer.model.effects.clock import EffectClock, updates
from viewer.model.effects.curves import power

MOST_WORK: Final = 500_000
"""Updates of all streams together that a replay makes."""
FEW: Final = 64
"""Emissions at once up to which the clock of a stream is added up one by one, as the game does."""


@dataclass(frozen=True, slots=True, eq=False)
class Replay:
    """The updates of all streams up to a moment.

    Attributes
    ----------
    seconds, time
        Seconds and effect time of each update, the last one now, (k,).
    """

    seconds: Reals
    time: Reals

    @classmethod
    def of(cls, clock: EffectClock, seconds: float, count: int) -> Replay:
        """The updates for `count` streams: a hundred a second, and one now."""
        before = updates(seconds)[-max(1, MOST_WORK // count) :]
        moments = before if before[-1] >= seconds else np.append(before, seconds)
        return cls(moments, clock.time(moments))


class Emissions(NamedTuple):
    """How many particles have left, when the last one did, and the interval now."""

    number: int
    last: float
    interval: float


@dataclass(frozen=True, slots=True, eq=False)
class StreamParticles:
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


def particles(blocks: EffectBlocks, row: int, replay: Replay, seed: int) -> StreamParticles:
    """The particles of one stream at the end of a replay; `row` is that of its table."""
    table = blocks.streams
    ring, most, block = int(table.ring[row]), int(table.most[row]), int(table.block[row])
    sent = emissions(blocks, row, replay)
    first = max(0, sent.number - min(ring, most)) if sent.interval > 0 else sent.number
    number = np.arange(first, sent.number)
    since = float(replay.seconds[-1]) - sent.last
    with np.errstate(all="ignore"):
        age = (sent.number - 1 - number) / ring + since / np.float64(sent.interval * ring)
    number = number[(age >= 0) & (age <= 1)]
    age = age[(age >= 0) & (age <= 1)]
    draws = drawn(mixed(seed, block, number), DRAWS)
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


def emissions(blocks: EffectBlocks, row: int, replay: Replay) -> Emissions:
    """What a stream has emitted at the end of a replay.

    The first particle leaves at the first update inside the window, and at most one ring at once.
    """
    table = blocks.streams
    block, ring = int(table.block[row]), min(int(table.ring[row]), int(table.most[row]))
    inside = (blocks.start[block] <= replay.time) & (replay.time <= blocks.end[block])
    p = blocks.progress(replay.time[inside], np.array([block]))
    intervals = table.interval.rows(np.full(len(p), row)).at(p)
    count, last, interval = 0, 0.0, 0.0
    for now, interval in zip(replay.seconds[inside].tolist(), intervals.tolist(), strict=True):
        if not count:
            count, last = 1, now
        if last + interval < now:
            sent, last = _due(last, interval, now, ring)
            count += sent
    return Emissions(count, last, interval)


def _due(last: float, interval: float, now: float, ring: int) -> tuple[int, float]:
    """How many particles leave at an update, and when the last of them did."""
    if interval <= 0:
        return 0, last
    due = (now - last) / interval
    if due > FEW:
        sent = int(min(due, ring))
        return sent, last + sent * interval
    sent = 0
    while last + interval < now and sent < ring:
        last += interval
        sent += 1
    return sent, last
