"""Image of an effect: what plays, at which moment, from where."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.formats.fxid import Effect
from viewer.geometry.bounds import Bounds
from viewer.geometry.transforms import point_of
from viewer.model.effects.clock import AGE, FALLING, FRACTION
from viewer.model.effects.program import EffectInputs, EffectProgram
from viewer.model.material.materials import Material
from viewer.session.view.camera import Camera
from viewer.session.view.view_state import ViewState, has_look_of

OPEN_LIFE: Final = 5.0
"""Seconds of a round of an effect without an end of its own."""
LEAST_LIFE: Final = 0.1
LONGEST_LIFE: Final = 600.0
"""Seconds of a round at most; effects of the game last ten seconds at most."""
SAMPLES: Final = 24
"""Moments of its life at which an effect is looked at to find its extent."""
SPREAD: Final = 7
"""Step through these moments; it has no divisor in common with their number, so that each comes once."""
MOST_SPRITES: Final = 100_000
"""Sprites and bolts of all these moments, after which no further one is looked at: effects of the game draw
a few thousand, and a frame waits for it (12,000 bursts took six seconds)."""
LEAST_MOMENTS: Final = 3
"""Moments at which any effect is looked at."""
FRAMINGS: Final = 3
"""Steps in which the distance of the camera is found."""
USUAL_EXTENT: Final = 1.0
"""Half the extent of an effect that draws nothing."""
LEAST_ALPHA: Final = 0.08
"""Alpha below which a sprite is hardly seen."""
SHARE_SHOWN: Final = 0.97
"""Share of what an effect draws in a round that its image shows."""


class EffectLook(Struct, frozen=True, eq=False):
    """An image of an effect: its moment and view.

    Attributes
    ----------
    materials
        The material of each block, or None.
    inputs
        What plays; its eye is that of the camera.
    view
        The look of the program: background, overlays, textures, samples, and the camera.
    size
        Width and height, pixels.
    hidden
        Blocks that are not drawn.
    keeps_eye
        Whether sprites turn to the eye of the inputs, not to the camera.
    """

    program: EffectProgram
    materials: tuple[Material | None, ...]
    inputs: EffectInputs
    view: ViewState
    size: tuple[int, int]
    hidden: frozenset[int] = frozenset()
    keeps_eye: bool = False

    def is_like(self, other: EffectLook | None) -> bool:
        """Whether another look gives the same image from the same textures."""
        return (
            other is not None
            and self.program is other.program
            and self.materials is other.materials
            and (self.inputs, self.size, self.hidden) == (other.inputs, other.size, other.hidden)
            and self.view.camera == other.view.camera
            and has_look_of(self.view, other.view)
        )


def life(effect: Effect, mode: int | None = None) -> float:
    """Seconds of a round of an effect: its duration, if its time follows from that, else `OPEN_LIFE`."""
    header = effect.header
    duration = float(header["duration"])
    is_timed = (int(header["time_mode"]) if mode is None else mode) in (AGE, FRACTION, FALLING)
    if not is_timed or not np.isfinite(duration) or duration <= 0:
        return OPEN_LIFE
    return min(max(duration, LEAST_LIFE), LONGEST_LIFE)


class EffectExtent(Struct, frozen=True, eq=False):
    """The extent of all that an effect draws at some moments, as balls: middles (n, 3) and radii (n,)."""

    middles: npt.NDArray[np.float64]
    radii: npt.NDArray[np.float64]

    @property
    def bounds(self) -> Bounds:
        """The box around the effect."""
        reach = self.radii[:, None]
        return Bounds((self.middles - reach).min(axis=0), (self.middles + reach).max(axis=0))

    def support(self, directions: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Extent in some directions (k, 3), without a few balls far from the others."""
        along = self.middles @ directions.T + self.radii[:, None] * np.linalg.norm(directions, axis=1)
        reach: npt.NDArray[np.float64] = np.quantile(along, SHARE_SHOWN, axis=0)
        return reach


def extent(program: EffectProgram, inputs: EffectInputs, moments: tuple[float, ...] = ()) -> EffectExtent:
    """The extent of an effect at some moments, by default those of a round, without faint sprites."""
    whole = life(program.effect, inputs.mode)
    middles, radii, left = [], [], MOST_SPRITES
    # The first few moments, which are all that is looked at of a huge effect, spread over the round.
    order = (number * SPREAD % SAMPLES for number in range(SAMPLES))
    for looked, seconds in enumerate(moments or [(number + 0.5) / SAMPLES * whole for number in order]):
        if left <= 0 and looked >= LEAST_MOMENTS:
            break
        moment = program.at(replace(inputs, seconds=seconds))
        sprites, bolts = moment.sprites, moment.bolts
        left -= len(sprites.alpha) + len(bolts.start)
        reach = np.maximum(np.linalg.norm(sprites.x, axis=1), np.linalg.norm(sprites.y, axis=1)) / 2
        is_seen = sprites.alpha >= LEAST_ALPHA
        middles += [sprites.center[is_seen], bolts.start, bolts.end]
        radii += [np.where(moment.has_z, 2 * reach, reach)[is_seen], bolts.width / 2, bolts.width / 2]
    found = EffectExtent(np.concatenate(middles), np.concatenate(radii))
    is_finite = np.isfinite(found.middles).all(axis=1) & np.isfinite(found.radii)
    if not is_finite.any():
        return EffectExtent(np.zeros((1, 3)), np.array([USUAL_EXTENT]))
    return EffectExtent(found.middles[is_finite], found.radii[is_finite])


def framed(camera: Camera, program: EffectProgram, inputs: EffectInputs, aspect: float) -> Camera:
    """The camera that shows a round of an effect in an image of width / height `aspect`.

    What is seen, and the size of glows, depends on the eye, whose place is found in steps.
    """
    for _ in range(FRAMINGS):
        found = extent(program, seen_from(inputs, camera))
        camera = replace(camera, reach=found.bounds.diagonal).frame(found, aspect)
    return camera


def seen_from(inputs: EffectInputs, camera: Camera) -> EffectInputs:
    """The inputs with the eye of a camera."""
    return replace(inputs, eye=point_of(camera.eye))
