"""Playback of an effect in its tab: the user's settings, its clock, the curves of its blocks."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.formats.fxid import Effect
from viewer.geometry.transforms import point_of
from viewer.model.clips.clip import FRAME_RATE
from viewer.model.effects.blocks import EffectBlocks
from viewer.model.effects.clock import AGE, FALLING, EffectFlag
from viewer.model.effects.curves import power
from viewer.model.effects.frame import one_direction
from viewer.model.effects.moment import EffectMoment
from viewer.model.effects.program import EffectInputs, EffectProgram, Spawn, burst_phase
from viewer.model.effects.shapes import dome, quad
from viewer.session.play import timeline
from viewer.session.play.playback import EffectSettings
from viewer.session.view.effect_look import life
from viewer.session.view.view_state import ViewState

PAUSE: Final = 0.5
"""Seconds before the next round of an effect that was deleted."""
LONGEST: Final = 60.0
"""Seconds after which an effect without an end begins anew: streams are replayed from their start."""
PROGRAMS: Final = 4
"""Effects that are kept ready to be played."""
POINTS: Final = 65
"""Points of a curve."""
Reals = npt.NDArray[np.float64]


def inputs_of(settings: EffectSettings, seconds: float) -> EffectInputs:
    """The inputs of the effect in a stage; opening an effect starts one that is off at first."""
    inputs = EffectInputs(
        seconds,
        settings.size,
        settings.mode,
        settings.strength,
        spawn=Spawn.SPREAD if settings.is_spread else Spawn.TOGETHER,
        has_steps=settings.has_steps,
        is_started=True,
        is_set=settings.is_set,
        has_slow_streams=settings.has_slow_streams,
        target=settings.target,
    )
    if settings.eye is not None:
        inputs = replace(inputs, eye=settings.eye)
    if settings.direction is None:
        return inputs
    x, y, z = (point_of(it) for it in one_direction(np.array(settings.direction)))
    return replace(inputs, axes=(x, y, z))


@lru_cache(PROGRAMS)
def program_of(effect: Effect, seed: int) -> EffectProgram:
    """An effect ready to be played with the random numbers of a seed."""
    return EffectProgram.of(effect, seed)


def round_frames(effect: Effect, mode: int | None = None) -> float:
    """Frames of a round of an effect, in another time mode if given, with the pause of deleted ones."""
    has_pause = int(effect.header["flags"]) & EffectFlag.DELETED
    return (life(effect, mode) + (PAUSE if has_pause else 0.0)) * FRAME_RATE


def is_repeated(effect: Effect, mode: int | None = None) -> bool:
    """Whether an effect begins anew after a round: it was deleted, or would hold its last moment."""
    header = effect.header
    own = int(header["time_mode"]) if mode is None else mode
    return bool(int(header["flags"]) & EffectFlag.DELETED) or own in (AGE, FALLING)


def seconds_of(view: ViewState, effect: Effect) -> float:
    """Seconds since the effect of a view was made; one without an end continues after a round."""
    if is_repeated(effect, view.playback.stage.mode):
        return timeline.now(view) / FRAME_RATE
    return timeline.material_time(view) / 1e3 % LONGEST


class EffectCurve(Struct, frozen=True, eq=False):
    """A value of a block, (`POINTS`,) or by axis (`POINTS`, k), over p, or over the age of its particles."""

    name: str
    values: Reals
    is_over_age: bool


def curves(blocks: EffectBlocks, block: int) -> tuple[EffectCurve, ...]:
    """The curves of a block, without its random parts."""
    x = np.linspace(0, 1, POINTS)
    tables = (
        (blocks.sprites, ("fade", "phase", "position", "size", "direction"), False),
        (blocks.bursts, ("fade", "position", "size"), True),
        (blocks.streams, ("fade", "interval", "position", "size"), True),
        (blocks.bolts, ("fade", "width", "phase"), False),
        (blocks.lights, ("range", "color", "position", "direction"), False),
        (blocks.sounds, ("rate", "position"), False),
    )
    for table, names, is_over_age in tables:
        rows = np.flatnonzero(table.block == block)
        if len(rows):
            row = np.repeat(rows[:1], POINTS)
            curve = (getattr(table, name) for name in names)
            found = [
                EffectCurve(name, np.nan_to_num(it.rows(row).at(x)), is_over_age and name != "interval")
                for name, it in zip(names, curve, strict=True)
            ]
            phase = _phase_of_particles(blocks, block, x)
            if phase is not None:
                found.insert(1, EffectCurve("phase", phase, is_over_age=True))
            return tuple(found)
    return ()


def _phase_of_particles(blocks: EffectBlocks, block: int, age: Reals) -> Reals | None:
    """The phase of the particles of a burst or a stream at ages (n,); None for others, or if it is random."""
    of_burst, of_stream = (np.flatnonzero(it.block == block) for it in (blocks.bursts, blocks.streams))
    if len(of_burst):
        return burst_phase(age, blocks.bursts.rate[of_burst[:1]])
    exponent = blocks.streams.phase[of_stream]
    return power(age, exponent) if len(of_stream) and exponent[0] >= 0 else None


def age_of(blocks: EffectBlocks, block: int, progress: float) -> float | None:
    """The age of the particles of a burst that start together, 0 to 1; None for none and other blocks."""
    rows = np.flatnonzero(blocks.bursts.block == block)
    age = progress / float(blocks.bursts.life[rows[0]]) if len(rows) else -1.0
    return age if 0 <= age <= 1 else None


class EffectCounts(Struct, frozen=True, eq=False):
    """The sprites and triangles of each block of an effect at a moment, (n,)."""

    sprites: npt.NDArray[np.int64]
    triangles: npt.NDArray[np.int64]


def counts(program: EffectProgram, moment: EffectMoment) -> EffectCounts:
    """The counts of sprites, bolts and lights of a moment."""
    number = len(program.blocks.opcodes)
    sprites = np.bincount(moment.sprites.block, minlength=number)
    np.add.at(sprites, moment.bolts.block, moment.bolts.pieces)
    of_dome = np.array(
        [dome(it, is_faceted=False).triangle_count for it in range(3)] + [quad().triangle_count]
    )
    shape = np.clip(np.where(program.blocks.shape < 0, 3, program.blocks.shape), 0, 3)
    return EffectCounts(sprites, sprites * of_dome[shape])
