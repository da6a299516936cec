"""The moment of an effect: all that it shows at a time, as arrays.

Everything is in world space, its lengths in world units.

Source: spec/effects.md 4 to 9, 15.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

if TYPE_CHECKING:
    from viewer.geometry.transforms import Indices
    from viewer.model.effects.chance import Reals

OF_OWNER: Final = (1, 6)
"""Kinds of lights that shine on their owner only."""
OF_EVERYTHING: Final = (2, 5, 7)
"""Kinds of lights that shine on everything; how directional and parallel ones (3, 4) do is not known."""

MOST_EFFECT_LIGHTS: Final = 8
"""Lights that shine in a picture: of more it has the strongest."""


class EffectSprites(Struct, frozen=True, eq=False):
    """Sprites, glows, domes and particles, sorted by block and particle.

    Attributes
    ----------
    block, particle
        Index of the block, and of the particle in it; of a stream the number of its emission, (n,).
    center
        (n, 3).
    x, y, z
        Columns ``M_k`` of their matrices, (n, 3) each: a quad spans half of x and y to both sides, a dome all
        three axes.
    alpha
        Above 0, (n,).
    phase
        Fraction of the material's track 0, (n,).
    """

    block: Indices
    particle: Indices
    center: Reals
    x: Reals
    y: Reals
    z: Reals
    alpha: Reals
    phase: Reals

    def __len__(self) -> int:
        return len(self.block)

    def rows(self, chosen: Indices) -> EffectSprites:
        """Sprites by their indices."""
        # All of them in their order: nothing has to be copied.
        if len(chosen) == len(self) and (chosen == np.arange(len(self))).all():
            return self
        return EffectSprites(
            self.block[chosen], self.particle[chosen], self.center.take(chosen, axis=0),
            self.x.take(chosen, axis=0), self.y.take(chosen, axis=0), self.z.take(chosen, axis=0),
            self.alpha[chosen], self.phase[chosen],
        )  # fmt: skip


class EffectBolts(Struct, frozen=True, eq=False):
    """Bolts: ends (n, 3), number of pieces, width, repeats of the texture on a piece, alpha, phase, (n,)."""

    block: Indices
    start: Reals
    end: Reals
    pieces: Indices
    width: Reals
    repeat: Reals
    alpha: Reals
    phase: Reals


class EffectLights(Struct, frozen=True, eq=False):
    """Lights: place and direction (n, 3), the latter not normalized, range (n,), RGBA (n, 4), overbright."""

    block: Indices
    kind: Indices
    position: Reals
    direction: Reals
    range: Reals
    color: Reals
    attenuation: Reals


class EffectSounds(Struct, frozen=True, eq=False):
    """Sounds: place (n, 3), distances of full and of least volume, playback rate, (n,)."""

    block: Indices
    position: Reals
    near: Reals
    far: Reals
    rate: Reals


class EffectMoment(Struct, frozen=True, eq=False):
    """An effect at a moment.

    Attributes
    ----------
    time, age
        ``t`` and ``lin``.
    is_alive
        Whether flag 2 has not deleted it.
    active
        Which blocks are active, (n,).
    progress
        ``p`` of each block, of a glow ``p'``, (n,).
    has_z
        Which sprites are domes, whose shape has a third column, (s,).
    """

    time: float
    age: float
    is_alive: bool
    active: npt.NDArray[np.bool_]
    progress: Reals
    sprites: EffectSprites
    has_z: npt.NDArray[np.bool_]
    bolts: EffectBolts
    lights: EffectLights
    sounds: EffectSounds


_NO_ROWS: Final = np.zeros(0, np.int64)
_NO_NUMBERS: Final = np.zeros(0)
_NO_POINTS: Final = np.zeros((0, 3))
NO_SPRITES: Final = EffectSprites(_NO_ROWS, _NO_ROWS, *(_NO_POINTS,) * 4, _NO_NUMBERS, _NO_NUMBERS)
NO_BOLTS: Final = EffectBolts(_NO_ROWS, _NO_POINTS, _NO_POINTS, _NO_ROWS, *(_NO_NUMBERS,) * 4)
NO_LIGHTS: Final = EffectLights(
    _NO_ROWS, _NO_ROWS, _NO_POINTS, _NO_POINTS, _NO_NUMBERS, np.zeros((0, 4)), _NO_POINTS
)
NO_SOUNDS: Final = EffectSounds(_NO_ROWS, _NO_POINTS, *(_NO_NUMBERS,) * 3)
"""Sprites, bolts, lights and sounds of an effect that has none."""
