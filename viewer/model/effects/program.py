"""An effect that can be played: its picture at any moment, without the moments before.

Source: spec/effects.md.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.diagnostics import Diagnostic
from viewer.formats.fxid import Effect
from viewer.model.effects import streams
from viewer.model.effects.blocks import DOME, EffectBlocks
from viewer.model.effects.chance import Reals, drawn, mixed, spread
from viewer.model.effects.clock import EffectClock, EffectFlag, updates_before
from viewer.model.effects.faults import faults
from viewer.model.effects.frame import EffectFrame, bases
from viewer.model.effects.moment import (
    NO_BOLTS,
    NO_LIGHTS,
    NO_SOUNDS,
    NO_SPRITES,
    EffectBolts,
    EffectLights,
    EffectMoment,
    EffectSounds,
    EffectSprites,
)

# In place of a range that is not above 0 (effects.md 6, type 1).
LEAST_RANGE: Final = 0.01
LAST_PHASE: Final = 0.99
"""The phase of particles whose material has ended."""
SLOW_PACE: Final = 0.6
"""The share of the pace of streams that recordings of the game show (effects.md, open)."""
Point = tuple[float, float, float]


class Spawn(StrEnum):
    """Start of the particles of a burst."""

    TOGETHER = "together"
    SPREAD = "spread"


class EffectInputs(Struct, frozen=True):
    """The inputs of an effect from outside: time, size, eye, place.

    Attributes
    ----------
    seconds
        Since it was made; 0 or more.
    size
        The size asked for.
    mode
        Time mode in place of the header's, or None.
    strength
        The value from outside.
    eye, target
        In world space; bolts start at the target, or without one where the effect is.
    spawn
        When the particles of a burst start.
    has_steps
        Whether the time of the effect has the game's ten updates a second.
    is_started
        Whether an effect that starts off was started.
    is_set
        Bit 0 of the manager, which holds effects with flag 0x100, and without it those with flag 0x80.
    has_slow_streams
        Whether streams run at 0.6 of the pace that is read, as recordings show ambient ones.
    axes, origin
        The frame of the effect in world space: an axis each, and the place.
    """

    seconds: float
    size: float = 1.0
    mode: int | None = None
    strength: float = 0.0
    eye: Point = (0.0, -10.0, 0.0)
    target: Point | None = None
    spawn: Spawn = Spawn.TOGETHER
    has_steps: bool = False
    is_started: bool = False
    is_set: bool = False
    has_slow_streams: bool = False
    axes: tuple[Point, Point, Point] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    origin: Point = (0.0, 0.0, 0.0)


class EffectProgram(Struct, frozen=True, eq=False):
    """An effect with the random numbers of a seed.

    Attributes
    ----------
    effect
        The payload.
    seed
        Seed of all random numbers.
    blocks
        Its blocks.
    scale, jitter
        Those of the header, (3,) and a number; 0 instead of what is not finite.
    problems
        What keeps blocks from being played as stored.
    """

    effect: Effect
    seed: int
    blocks: EffectBlocks
    scale: Reals
    jitter: float
    problems: tuple[Diagnostic, ...]

    @classmethod
    @np.errstate(invalid="ignore")  # stored numbers may be signaling NaN
    def of(cls, effect: Effect, seed: int = 1) -> EffectProgram:
        """Make an effect ready to be played."""
        values = np.array([*effect.header["scale"], effect.header["time_jitter"]], np.float64)
        *scale, jitter = np.where(np.isfinite(values), values, 0.0).tolist()
        problems = (*effect.diagnostics, *faults(effect))
        return cls(effect, seed, EffectBlocks.of(effect, seed), np.array(scale), jitter, problems)

    def clock(self, inputs: EffectInputs) -> EffectClock:
        """The clock of the effect."""
        header = self.effect.header
        return EffectClock(
            int(header["time_mode"]) if inputs.mode is None else inputs.mode,
            float(header["duration"]),
            self.jitter,
            int(header["flags"]),
            self.seed,
            inputs.strength,
            inputs.has_steps,
            inputs.is_set,
        )

    def frame(self, inputs: EffectInputs) -> EffectFrame:
        """The instance space of the effect."""
        return EffectFrame.of(np.array(inputs.axes), self.scale * inputs.size, np.array(inputs.origin))

    @np.errstate(all="ignore")  # any value can be stored
    def tested_point(self, inputs: EffectInputs) -> Reals | None:
        """The point (3,) in world space that decides what is drawn by being in view; None if nothing does."""
        is_tested = self.blocks.on_top.any() or self.is_hidden_with_point
        header = self.effect.header
        return self.frame(inputs).points(header["tested_point"].astype(np.float64)) if is_tested else None

    @property
    def is_hidden_with_point(self) -> bool:
        """Flag 0x400: nothing is drawn while the tested point is hidden."""
        return int(self.effect.header["flags"]) & EffectFlag.HIDDEN_WITH_POINT != 0

    def turning_frame(self, inputs: EffectInputs) -> EffectFrame:
        """The instance space of streams: its axes have unit length before they are scaled."""
        frame = self.frame(inputs)
        # Particles only turn with the attach point; how large they are says the size asked for (effects.md 6,
        # type 8).
        lengths = np.linalg.norm(np.array(inputs.axes), axis=1)
        return EffectFrame(frame.axes / np.where(lengths == 0, 1, lengths)[:, None], frame.origin)

    @np.errstate(all="ignore")  # any value can be stored; what is not finite at the end is not drawn
    def at(self, inputs: EffectInputs) -> EffectMoment:
        """The moment of the effect at a time."""
        clock, now = self.clock(inputs), np.array([inputs.seconds])
        time, age = float(clock.time(now)[0]), float(clock.age(now)[0])
        is_alive = not clock.has_ended(inputs.seconds)
        is_off = clock.flags & EffectFlag.STARTS_OFF and not inputs.is_started
        active = self.blocks.active(time)
        if not is_alive or is_off:
            active[:] = False
        player = _Player(self, inputs, clock, active, self.blocks.progress(np.array(time)))
        sprites = player.all_sprites()
        has_z = self.blocks.opcodes[sprites.block] == DOME
        others = player.bolts(), player.lights(), player.sounds()
        return EffectMoment(time, age, is_alive, active, player.progress, sprites, has_z, *others)


class _Player:
    """Plays the active blocks of an effect at one moment."""

    def __init__(
        self,
        program: EffectProgram,
        inputs: EffectInputs,
        clock: EffectClock,
        active: npt.NDArray[np.bool_],
        progress: Reals,
    ) -> None:
        self._program, self._inputs, self._clock = program, inputs, clock
        self._blocks, self._active, self.progress = program.blocks, active, progress
        self._frame = program.frame(inputs)
        self._eye = self._frame.inside(np.array(inputs.eye))
        self._slow_down_glows()

    def _slow_down_glows(self) -> None:
        """Glows run on ``p'``, by the distance of the eye."""
        sprites = self._blocks.sprites
        is_glow = ~np.isnan(sprites.reach)
        if is_glow.any():
            block, reach = sprites.block[is_glow], sprites.reach[is_glow]
            # p' = min(1, p * length(e) / reach): at 300 of 500 units .8 becomes .48, so that a glow keeps its
            # size on screen (effects.md 6).
            far = self.progress[block] * np.linalg.norm(self._eye) / reach
            self.progress[block] = np.nan_to_num(np.minimum(1, far))

    def all_sprites(self) -> EffectSprites:
        """Sprites, glows, domes and particles, by block and particle."""
        parts = [self._sprites(), self._bursts(), *self._streams()]
        there = [it for it in parts if len(it)]
        if len(there) < 2:
            return there[0] if there else NO_SPRITES
        names = ("block", "particle", "center", "x", "y", "z", "alpha", "phase")
        whole = EffectSprites(*(np.concatenate([getattr(it, name) for it in there]) for name in names))
        # Stable: particles keep their order inside a block.
        return whole.rows(np.argsort(whole.block, kind="stable"))

    def _sprites(self) -> EffectSprites:
        table = self._blocks.sprites
        if not self._active[table.block].any():
            return NO_SPRITES
        p = self.progress[table.block]
        q, size, alpha = table.position.at(p), table.size.at(p), table.fade.at(p)
        basis = bases(table.mode, self._eye, q, table.direction.at(p))
        start, power = table.phase.start, table.phase
        # A negative start runs by seconds: (-1, 9, 1) plays nine times a second (effects.md 5).
        x = np.where(start < 0, self._inputs.seconds, p)
        running = type(power)(np.maximum(start, 0), power.end, power.power).at(x)
        made = self._made(
            self._frame, table.block, np.zeros(len(p), np.int64), (q, size, basis), alpha, _fraction(running)
        )
        return made.rows(np.flatnonzero(_is_drawn(made) & self._active[table.block]))

    def _bursts(self) -> EffectSprites:
        table = self._blocks.bursts
        if not self._active[table.block].any():
            return NO_SPRITES
        p = self.progress[table.block]
        spawn = table.spawn if self._inputs.spawn is Spawn.SPREAD else 0.0
        age = (p - spawn) / table.life
        is_there = self._active[table.block] & (age >= 0) & (age <= 1)
        age = np.where(is_there, age, 0.0)
        q, size, alpha = table.position.at(age), table.size.at(age), table.fade.at(age)
        basis = bases(np.zeros(len(q), np.int64), self._eye, q, q)
        made = self._made(
            self._frame, table.block, table.particle, (q, size, basis), alpha, burst_phase(age, table.rate)
        )
        return made.rows(np.flatnonzero(_is_drawn(made) & is_there))

    def _streams(self) -> list[EffectSprites]:
        table = self._blocks.streams
        active = np.flatnonzero(self._active[table.block])
        if not len(active):
            return []
        frame = self._program.turning_frame(self._inputs)
        eye = frame.inside(np.array(self._inputs.eye))
        seconds = self._inputs.seconds * (SLOW_PACE if self._inputs.has_slow_streams else 1.0)
        found = []
        for row in active.tolist():
            ages = streams.particles(self._blocks, row, self._clock, seconds, len(active))
            basis = bases(np.zeros(len(ages.age), np.int64), eye, ages.position, ages.position)
            placed = ages.position, ages.size, basis
            made = self._made(frame, ages.block, ages.number, placed, ages.alpha, ages.phase)
            found.append(made.rows(np.flatnonzero(_is_drawn(made))))
        return found

    def _made(
        self,
        frame: EffectFrame,
        block: npt.NDArray[np.int64],
        particle: npt.NDArray[np.int64],
        placed: tuple[Reals, Reals, tuple[Reals, Reals, Reals]],
        alpha: Reals,
        phase: Reals,
    ) -> EffectSprites:
        q, size, basis = placed
        x, y, z = (frame.directions(size * axis) for axis in basis)
        return EffectSprites(block, particle, frame.points(q), x, y, z, alpha, phase)

    def bolts(self) -> EffectBolts:
        """Bolts from the target to the effect."""
        table = self._blocks.bolts
        rows = np.flatnonzero(self._active[table.block])
        if not len(rows):
            return NO_BOLTS
        block = table.block[rows]
        p = self.progress[block]
        origin = np.array(self._inputs.origin)
        start = origin if self._inputs.target is None else np.array(self._inputs.target)
        length = float(np.linalg.norm(origin - start))
        # Segments of 50 along 430 units are 8 pieces of 53.75 each (effects.md 12).
        pieces = np.nan_to_num(np.floor(length / table.segment[rows]), posinf=0, neginf=0)
        pieces = np.minimum(np.maximum(pieces, 1), np.maximum(table.most_pieces[rows], 1)).astype(np.int64)
        repeat = np.nan_to_num(length / pieces / table.repeat[rows], posinf=0, neginf=0)
        x = np.where(table.phase.start[rows] < 0, self._inputs.seconds, p)
        running = np.maximum(table.phase.start[rows], 0)
        return EffectBolts(
            block,
            np.tile(start, (len(rows), 1)),
            np.tile(origin, (len(rows), 1)),
            pieces,
            table.width.rows(rows).at(p),
            repeat,
            table.fade.rows(rows).at(p),
            _fraction(running + (table.phase.end[rows] - running) * x),
        )

    def lights(self) -> EffectLights:
        """Lights with their flicker, which changes ten times a second."""
        table = self._blocks.lights
        rows = np.flatnonzero(self._active[table.block])
        if not len(rows):
            return NO_LIGHTS
        block = table.block[rows]
        p = self.progress[block]
        step = updates_before(np.full(len(rows), self._inputs.seconds))
        # The order of the draws is A, B, G, R, range (effects.md 6).
        alpha, blue, green, red, length = drawn(mixed(self._program.seed, block, step), 5)
        direction = self._frame.directions(table.direction.rows(rows).at(p))
        color = table.color.rows(rows).at(p)
        color += spread(np.stack([red, green, blue, alpha], 1), table.color_jitter[rows])
        reach = table.range.rows(rows).at(p) + spread(length, table.range_jitter[rows])
        reach = reach * np.linalg.norm(direction, axis=1)
        return EffectLights(
            block,
            table.kind[rows],
            self._frame.points(table.position.rows(rows).at(p)),
            direction,
            np.where(reach <= 0, LEAST_RANGE, reach),
            color,
            table.attenuation[rows],
        )

    def sounds(self) -> EffectSounds:
        """The sounds of active blocks."""
        table = self._blocks.sounds
        rows = np.flatnonzero(self._active[table.block])
        if not len(rows):
            return NO_SOUNDS
        block = table.block[rows]
        p = self.progress[block]
        place = self._frame.points(table.position.rows(rows).at(p))
        return EffectSounds(block, place, table.near[rows], table.far[rows], table.rate.rows(rows).at(p))


def _is_drawn(sprites: EffectSprites) -> npt.NDArray[np.bool_]:
    """Mask of the visible sprites (n,): those with an alpha, and a place that the formulas give."""
    sums = (sprites.x + sprites.y + sprites.z + sprites.center).sum(1) + sprites.phase
    is_seen: npt.NDArray[np.bool_] = (sprites.alpha > 0) & np.isfinite(sums) & np.isfinite(sprites.alpha)
    return is_seen


def _fraction(x: Reals) -> Reals:
    return x - np.floor(x)


def burst_phase(age: Reals, rate: Reals) -> Reals:
    """The phase of particles of bursts, (n,)."""
    # A rate of -1, on 350 of the game's, gives a negative phase, which is held at key 0 (effects.md 6).
    phase = np.where(rate <= 1, age / rate, _fraction(age * rate))
    return np.where(phase >= 1, LAST_PHASE, np.where(phase > 0, phase, 0.0))
