"""Values of effects that run over the time of a block or the age of a particle.

Source: spec/effects.md 5.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.formats.record import Rows
from viewer.model.effects.chance import Reals, spread

AXES: Final = 3


def power(x: Reals, exponent: Reals) -> Reals:
    """``pw``: x itself if the exponent is 1, else x, but not less than 0, to that power; elementwise."""
    with np.errstate(all="ignore"):
        return np.where(exponent == 1, x, np.maximum(x, 0) ** exponent)


class Ramp(Struct, frozen=True, eq=False):
    """Numbers that run from `start` to `end` over a power of x; each (n,)."""

    start: Reals
    end: Reals
    power: Reals

    @classmethod
    def of(cls, rows: Rows, name: str) -> Ramp:
        """The ramps of rows (n,) in their fields of that name; straight without a power."""
        fields = (f"{name}_start", f"{name}_end", f"{name}_power")
        there = [field in (rows.dtype.names or ()) for field in fields]
        start, end, exponent = (
            rows[field].astype(np.float64) if it else np.ones(len(rows))
            for field, it in zip(fields, there, strict=True)
        )
        return cls(start, end, exponent)

    def rows(self, chosen: npt.NDArray[np.int64]) -> Ramp:
        """The ramps of some rows."""
        return Ramp(self.start[chosen], self.end[chosen], self.power[chosen])

    def at(self, x: Reals) -> Reals:
        """The numbers at x (n,), (n,)."""
        with np.errstate(all="ignore"):
            return self.start + (self.end - self.start) * power(x, self.power)


class EffectChannel(Struct, frozen=True, eq=False):
    """Vectors that run from `low` to `high` over powers of x, by axis.

    Attributes
    ----------
    low, high
        (n, 3) each; the random part is in `high` already.
    jitter
        Spread of the random part, (n, 3).
    bent
        Indices in the flat array of exponents of those that are not 1, (k,).
    exponents
        Those exponents, (k,).
    """

    low: Reals
    high: Reals
    jitter: Reals
    bent: npt.NDArray[np.int64]
    exponents: Reals

    @classmethod
    def of(cls, rows: Rows, name: str) -> EffectChannel:
        """The channels of rows (n,) in their fields of that name."""
        low, high = (rows[f"{name}_{word}"].astype(np.float64).reshape(-1, AXES) for word in ("low", "high"))
        jitter = f"{name}_jitter"
        has_jitter = jitter in (rows.dtype.names or ())
        exponents = rows[f"{name}_exponents"].astype(np.float64).ravel()
        # Powers are only made where they change something: in the game 3518 of 3571 positions and 3300 of as
        # many sizes have the exponents 1 (effects.md 13).
        bent = np.flatnonzero(exponents != 1)
        spreads = rows[jitter].astype(np.float64).reshape(-1, AXES) if has_jitter else np.zeros_like(low)
        return cls(low, high, spreads, bent, exponents[bent])

    @classmethod
    def straight(cls, rows: Rows, name: str) -> EffectChannel:
        """Channels without exponents, in fields ``_start`` and ``_end``."""
        low, high = (rows[f"{name}_{word}"].astype(np.float64) for word in ("start", "end"))
        return cls(low, high, np.zeros_like(low), np.zeros(0, np.int64), np.zeros(0))

    def rows(self, chosen: npt.NDArray[np.int64], draws: Reals | None = None) -> EffectChannel:
        """The channels of some rows (m,), with the random part of draws z, y, x (3, m)."""
        exponents = np.ones(self.low.size)
        exponents[self.bent] = self.exponents
        exponents = exponents.reshape(self.low.shape)[chosen].ravel()
        bent = np.flatnonzero(exponents != 1)
        high, jitter = self.high[chosen], self.jitter[chosen]
        if draws is not None:
            # Drawn z, y, x; stored x, y, z.
            high = high + spread(draws[::-1].T, jitter)
        return EffectChannel(self.low[chosen], high, jitter, bent, exponents[bent])

    @np.errstate(all="ignore")
    def at(self, x: Reals) -> Reals:
        """The vectors at x (n,), (n, 3)."""
        span = self.high - self.low
        if not len(self.bent):
            return self.low + span * x[:, None]
        powers = np.repeat(x, span.shape[1])
        powers[self.bent] = np.maximum(powers[self.bent], 0) ** self.exponents
        return self.low + span * powers.reshape(span.shape)
