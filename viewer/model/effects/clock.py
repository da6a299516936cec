"""The time of an effect: what its header makes of the seconds since it was made.

Source: spec/effects.md 1 to 3, 15.
"""

from __future__ import annotations

from enum import IntFlag
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.model.effects.chance import OF_TIME, Reals, drawn, mixed, spread

MOST_UPDATES: Final = 360_000
"""Updates that are replayed: an hour; of what is older only the last hour."""
UPDATES: Final = 100
"""Updates a second in a replay."""
LATEST: Final = 1 << 53
"""Number of the last update of any replay: up to it floating-point numbers count in ones."""
STEP: Final = 0.1
"""Seconds between two updates of the game."""


class EffectFlag(IntFlag):
    """Flags of the header that are read here."""

    JITTER = 0x1
    DELETED = 0x2
    LETS_GO = 0x4
    PING_PONG = 0x20
    STARTS_OFF = 0x40
    HELD_WHILE_CLEAR = 0x80
    HELD_WHILE_SET = 0x100
    TIMES_AGE = 0x200
    HIDDEN_WITH_POINT = 0x400
    FROM_TARGET = 0x1000


AGE, FRACTION, FALLING = 1, 2, 3
COMPLEMENTS: Final = (13, 14)
RISING_ONLY, FALLING_ONLY = 16, 17
"""Time modes that are not the plain value from outside."""


class EffectClock(Struct, frozen=True):
    """The inputs of the time of an effect.

    Attributes
    ----------
    mode
        Time mode, that of the header or one that takes its place.
    duration
        Seconds; not finite counts as 0.
    jitter
        Spread of the random part of the time.
    flags
        `EffectFlag`.
    seed
        Of the random part.
    strength
        The value from outside of the modes 0 and 4 to 17.
    has_steps
        Whether the time is made of the last of the game's ten updates a second.
    is_set
        Bit 0 of the manager (flags 0x80 and 0x100).
    """

    mode: int
    duration: float
    jitter: float = 0.0
    flags: int = 0
    seed: int = 1
    strength: float = 0.0
    has_steps: bool = False
    is_set: bool = False

    def age(self, seconds: Reals) -> Reals:
        """The normalized age ``lin`` after seconds (n,); 1 if the effect has no duration. Not clamped."""
        if not np.isfinite(self.duration) or self.duration == 0:
            return np.ones(len(seconds))
        since = np.float64(STEP) * updates_before(seconds) if self.has_steps else seconds
        return since / self.duration

    def time(self, seconds: Reals) -> Reals:
        """The time t of the effect after seconds (n,), 0 to 1."""
        if self._is_held:
            return np.zeros(len(seconds))
        age = self.age(seconds)
        time = self._source(age)
        # The order of the game: age, ping-pong, jitter, clamp (effects.md 3).
        if self.flags & EffectFlag.TIMES_AGE:
            time = time * age
        if self.flags & EffectFlag.PING_PONG:
            time = np.where(time < 0.5, 2 * time, 2 * (1 - time))
        if self.flags & EffectFlag.JITTER:
            states = mixed(self.seed, OF_TIME, updates_before(seconds))
            time = time + spread(drawn(states, 1)[0], self.jitter)
        return np.clip(time, 0.0, 1.0)

    def has_ended(self, seconds: float) -> bool:
        """Whether flag 2 has deleted the effect: whether its time has been 1 at any moment up to now."""
        if not self.flags & EffectFlag.DELETED or self._is_held:
            return False
        moments = np.array([0.0, seconds])
        if self.flags & (EffectFlag.JITTER | EffectFlag.PING_PONG | EffectFlag.TIMES_AGE):
            moments = np.concatenate([updates(seconds), moments])
        return bool((self.time(moments) >= 1).any()) or self._has_turned(moments[-1:])

    @property
    def _is_held(self) -> bool:
        """Whether flag 0x80 or 0x100 holds the time at 0."""
        return self.flags & (EffectFlag.HELD_WHILE_SET if self.is_set else EffectFlag.HELD_WHILE_CLEAR) != 0

    def _has_turned(self, now: Reals) -> bool:
        """Whether a ping-pong has passed its turn, where its time is 1 for a moment that updates may miss."""
        if self.has_steps or not self.flags & EffectFlag.PING_PONG or self.flags & EffectFlag.JITTER:
            return False
        is_product = self.flags & EffectFlag.TIMES_AGE != 0
        # The age at which the time before the turn is 0.5: age * age is at the root of it, (1 - age) * age
        # never, as it is 0.25 at most, and a value v times the age at 0.5 / v.
        turn = np.inf
        if self.mode in (AGE, FRACTION):
            turn = 0.5**0.5 if is_product else 0.5
        elif self.mode == FALLING:
            turn = np.inf if is_product else 0.5
        elif is_product:
            value = self._source(now)[0]
            turn = 0.5 / value if value > 0 else np.inf
        return self.duration > 0 and bool(self.age(now)[0] >= turn)

    def _source(self, age: Reals) -> Reals:
        """The time before flags."""
        if self.mode == AGE:
            return age
        if self.mode == FRACTION:
            return age - np.floor(age)
        if self.mode == FALLING:
            return 1 - age
        value = self.strength
        if self.mode in COMPLEMENTS:
            value = 1 - value
        if self.mode in (RISING_ONLY, FALLING_ONLY):
            # Nothing is remembered: the value before is taken as 0 (effects.md 15).
            value = held(self.mode, value, 0.0)
        return np.full(len(age), value)


def held(mode: int, value: float, last: float) -> float:
    """The time of modes 16 and 17 after a value from outside, `last` being the one before."""
    if mode == RISING_ONLY:
        return value if value > last or value == 0 else last
    return value if value < last or value == 1 else last


def updates_before(seconds: Reals) -> npt.NDArray[np.int64]:
    """The number of the game's last update, ten a second, at seconds (n,)."""
    # Rounded for the same reason as in `updates`: 2899.9999999999995 ms are update 29.
    return np.minimum(np.floor(np.round(seconds * 1000, 6) / 100), LATEST).astype(np.int64)


def updates(seconds: float) -> Reals:
    """The moments of a replay up to now, ascending, in seconds; at most the last `MOST_UPDATES`."""
    # Rounded first: a sum of frame times may fall short of the update that it means, as 2.9999999999.
    last = int(min(np.floor(round(seconds * UPDATES, 6)), LATEST))
    return np.arange(max(0, last - MOST_UPDATES), last + 1) / UPDATES
