"""The blocks of an effect, made ready to be played: one table of arrays for each way of playing.

Source: spec/effects.md 6.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.formats.fxid import COMMAND_KINDS, CommandKind, Effect
from viewer.formats.record import Rows
from viewer.geometry.transforms import Indices
from viewer.model.effects.chance import Reals, drawn, mixed
from viewer.model.effects.curves import EffectChannel, Ramp
from viewer.model.effects.faults import MOST_PARTICLES, MOST_STREAMS, SIGNED, is_finite, played_floats, wanted

LIGHT, SOUND, SPRITE, GLOW, BOLT, BURST, STREAM, DOME, DEBRIS = 1, 2, 3, 4, 5, 7, 8, 9, 10
SHAPES: Final = 3
"""Shapes of domes; others draw nothing."""
FARTHEST: Final = 1e9
"""Limit of the p of blocks that are not active."""
DRAWS: Final = 7
"""Draws of a particle: its number, the jitter of its position z, y, x, and of its size z, y, x."""


class SpriteBlocks(Struct, frozen=True, eq=False):
    """Sprites, glows and domes, each one block.

    Attributes
    ----------
    block
        Index of their block, (n,).
    mode
        Sprite mode, (n,).
    reach
        Of glows, else NaN, (n,).
    phase, fade
        Over the p of the block.
    position, direction, size
        In instance space, over p.
    """

    block: Indices
    mode: Indices
    reach: Reals
    phase: Ramp
    fade: Ramp
    position: EffectChannel
    direction: EffectChannel
    size: EffectChannel


class BurstParticles(Struct, frozen=True, eq=False):
    """The particles of all bursts and debris, in the order of their blocks.

    Attributes
    ----------
    block, particle
        Index of the block, and of the particle in it, (n,).
    spawn
        Time of the block at which each starts if they start one after the other, 0 to 1, (n,).
    life
        As a share of the window, (n,).
    rate
        Cycles of the material, (n,).
    fade, position, size
        Over the age.
    """

    block: Indices
    particle: Indices
    spawn: Reals
    life: Reals
    rate: Reals
    fade: Ramp
    position: EffectChannel
    size: EffectChannel


class StreamBlocks(Struct, frozen=True, eq=False):
    """Streams, each one block.

    Attributes
    ----------
    block
        Index of their block, (n,).
    interval
        Seconds, over the p of the block.
    phase
        Exponent of the age, (n,).
    ring
        Slots, (n,), and `most`, how many of the newest particles are shown, (n,).
    fade, position, size
        Over the age, without the random part.
    """

    block: Indices
    interval: Ramp
    phase: Reals
    ring: Indices
    most: Indices
    fade: Ramp
    position: EffectChannel
    size: EffectChannel


class BoltBlocks(Struct, frozen=True, eq=False):
    """Bolts: each value over p, or (n,); lengths in world units."""

    block: Indices
    fade: Ramp
    width: Ramp
    phase: Ramp
    most_pieces: Indices
    repeat: Reals
    segment: Reals


class LightBlocks(Struct, frozen=True, eq=False):
    """Lights: positions, directions, colors and ranges over p; `attenuation` (n, 3)."""

    block: Indices
    kind: Indices
    position: EffectChannel
    direction: EffectChannel
    color: EffectChannel
    range: Ramp
    color_jitter: Reals
    range_jitter: Reals
    attenuation: Reals


class SoundBlocks(Struct, frozen=True, eq=False):
    """Sounds: position and playback rate over p, (n,) each."""

    block: Indices
    kind: Indices
    position: EffectChannel
    rate: Ramp
    near: Reals
    far: Reals


class EffectBlocks(Struct, frozen=True, eq=False):
    """All blocks of an effect.

    Attributes
    ----------
    opcodes
        (n,).
    on_top
        Bit 8, (n,).
    start, end
        Windows, (n,); NaN for blocks that are never active.
    names
        Archive and name that each refers to, or None.
    shape, is_faceted
        The shape of each dome, and whether each of its facets has a whole texture; -1 for other blocks.
    """

    opcodes: Indices
    on_top: npt.NDArray[np.bool_]
    start: Reals
    end: Reals
    names: tuple[tuple[bytes, bytes] | None, ...]
    shape: Indices
    is_faceted: npt.NDArray[np.bool_]
    sprites: SpriteBlocks
    bursts: BurstParticles
    streams: StreamBlocks
    bolts: BoltBlocks
    lights: LightBlocks
    sounds: SoundBlocks

    @classmethod
    def of(cls, effect: Effect, seed: int) -> EffectBlocks:
        """The blocks of an effect with the random numbers of a seed."""
        count = len(effect.opcodes)
        names: list[tuple[bytes, bytes] | None] = [None] * count
        for index, archive, name in effect.references():
            # A block without a name draws nothing, and that is no error (effects.md 13, 15).
            names[index] = (archive, name) if name else None
        start, end = np.full(count, np.nan), np.full(count, np.nan)
        for kind in COMMAND_KINDS.values():
            rows = effect.records(kind)
            if kind.has_window and len(rows):
                where = np.flatnonzero(effect.opcodes == kind.opcode)
                sound = _is_sound(kind, rows)
                start[where[sound]], end[where[sound]] = (
                    rows["window_start"][sound],
                    rows["window_end"][sound],
                )
        shape, is_faceted = np.full(count, -1), np.zeros(count, np.bool_)
        domes, where = effect.records(COMMAND_KINDS[DOME]), effect.opcodes == DOME
        shape[where], is_faceted[where] = domes["shape"], domes["is_faceted"] != 0
        made = _Tables(effect, np.array([it is not None for it in names], np.bool_), seed)
        return cls(
            effect.opcodes.astype(np.int64), effect.on_top, start, end, tuple(names), shape, is_faceted,
            made.sprites(), made.bursts(), made.streams(), made.bolts(), made.lights(), made.sounds(),
        )  # fmt: skip

    def active(self, time: float) -> npt.NDArray[np.bool_]:
        """Mask of the blocks that are active at a time, (n,)."""
        # NaN compares as false: a block whose window is not a number is never active.
        return (self.start <= time) & (time <= self.end)

    def progress(self, time: Reals, block: Indices | slice = slice(None)) -> Reals:
        """``p`` of blocks (n,), or of one at times (k,); 0 for those without a window."""
        start, end = self.start[block], self.end[block]
        with np.errstate(all="ignore"):
            # A window without length is at its end (effects.md 3).
            progress: Reals = np.where(end == start, 1.0, (time - start) / (end - start))
        progress[np.isnan(progress)] = 0.0
        return np.minimum(np.maximum(progress, -FARTHEST), FARTHEST)


def _is_sound(kind: CommandKind, rows: Rows) -> npt.NDArray[np.bool_]:
    """The rows (n,) whose numbers are all finite."""
    sound = np.ones(len(rows), np.bool_)
    for field in played_floats(kind):
        sound &= is_finite(rows, field)
    return sound


class _Tables:
    """Makes the tables of an effect, of the blocks with finite numbers."""

    def __init__(self, effect: Effect, is_named: npt.NDArray[np.bool_], seed: int) -> None:
        self._effect, self._is_named, self._seed = effect, is_named, seed
        numbers = wanted(effect) * is_named
        before = np.cumsum(numbers) - numbers
        # In the order of the blocks: the one that exceeds the total gets what is left, those after it
        # nothing.
        self._allotted = np.clip(MOST_PARTICLES - before, 0, numbers).astype(np.int64)

    def _rows(self, opcode: int, *, is_drawn: bool = True) -> tuple[Indices, Rows]:
        """The blocks of a kind that play, and their records."""
        kind = COMMAND_KINDS[opcode]
        rows = self._effect.records(kind)
        block = np.flatnonzero(self._effect.opcodes == opcode).astype(np.int64)
        plays = _is_sound(kind, rows)
        if is_drawn:
            plays = plays & self._is_named[block]
        return block[plays], rows[plays]

    def sprites(self) -> SpriteBlocks:
        """The table of sprites, glows and domes."""
        blocks, records, reaches = [], [], []
        fields = [it.name for it in COMMAND_KINDS[SPRITE].record.fields]
        for opcode in (SPRITE, GLOW, DOME):
            block, rows = self._rows(opcode)
            plays = self._allotted[block] > 0
            if opcode == DOME:
                plays &= rows["shape"] < SHAPES
            block, rows = block[plays], rows[plays]
            blocks.append(block)
            # A glow and a dome begin with the fields of a sprite; what they have behind these is read apart.
            records.append(np.array(rows[fields], COMMAND_KINDS[SPRITE].record.dtype))
            reaches.append(rows["reach"].astype(np.float64) if opcode == GLOW else np.full(len(rows), np.nan))
        block = np.concatenate(blocks)
        order = np.argsort(block)
        rows = np.concatenate(records)[order]
        return SpriteBlocks(
            block[order],
            rows["mode"].astype(np.int64),
            np.concatenate(reaches)[order],
            Ramp.of(rows, "phase"),
            Ramp.of(rows, "fade"),
            EffectChannel.of(rows, "position"),
            EffectChannel.straight(rows, "direction"),
            EffectChannel.of(rows, "size"),
        )

    def bursts(self) -> BurstParticles:
        """The table of the particles of bursts and debris."""
        found = [self._rows(opcode) for opcode in (BURST, DEBRIS)]
        dtype = COMMAND_KINDS[BURST].record.dtype
        blocks, rows = (
            np.concatenate([it[0] for it in found]),
            # Bursts and debris have one layout (spec/fxid.md 5).
            np.concatenate([it[1].astype(dtype) for it in found]),
        )
        rows = rows[np.argsort(blocks)]
        blocks = np.sort(blocks)
        plays = rows["life"] > 0
        blocks, rows = blocks[plays], rows[plays]
        counts = self._allotted[blocks]
        row = np.repeat(np.arange(len(rows)), counts)
        # Counts 2 and 3 are particles 0 1 0 1 2.
        particle = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
        draws = drawn(mixed(self._seed, blocks[row], particle), DRAWS)
        life = rows["life"].astype(np.float64)
        # In float64: the product of two words need not fit 32 bits.
        whole = rows["count_0"].astype(np.float64) * rows["count_1"]
        return BurstParticles(
            blocks[row],
            particle,
            # Particle k of N starts at (1 - life) k / N, so that the last one just ends with the window
            # [ours] (effects.md 11).
            (1 - np.minimum(1, life[row])) * particle / np.maximum(whole[row], 1),
            life[row],
            rows["phase_rate"].astype(np.float64)[row],
            Ramp.of(rows, "fade").rows(row),
            EffectChannel.of(rows, "position").rows(row, draws[1:4]),
            EffectChannel.of(rows, "size").rows(row, draws[4:7]),
        )

    def streams(self) -> StreamBlocks:
        """The table of streams."""
        block, rows = self._rows(STREAM)
        plays = (self._allotted[block] > 0) & (rows["ring"] < SIGNED)
        plays &= np.arange(len(block)) < MOST_STREAMS
        block, rows = block[plays], rows[plays]
        return StreamBlocks(
            block,
            Ramp.of(rows, "interval"),
            rows["phase_exponent"].astype(np.float64),
            rows["ring"].astype(np.int64),
            self._allotted[block],
            Ramp.of(rows, "fade"),
            EffectChannel.of(rows, "position"),
            EffectChannel.of(rows, "size"),
        )

    def bolts(self) -> BoltBlocks:
        """The table of bolts."""
        block, rows = self._rows(BOLT, is_drawn=False)
        return BoltBlocks(
            block,
            Ramp.of(rows, "fade"),
            Ramp.of(rows, "width"),
            Ramp.of(rows, "phase"),
            np.minimum(rows["most_pieces"], np.maximum(self._allotted[block], 1)).astype(np.int64),
            rows["repeat"].astype(np.float64),
            rows["segment"].astype(np.float64),
        )

    def lights(self) -> LightBlocks:
        """The table of lights."""
        block, rows = self._rows(LIGHT, is_drawn=False)
        return LightBlocks(
            block,
            rows["mode"].astype(np.int64),
            EffectChannel.straight(rows, "position"),
            EffectChannel.straight(rows, "direction"),
            EffectChannel.straight(rows, "color"),
            Ramp.of(rows, "range"),
            rows["color_jitter"].astype(np.float64),
            rows["range_jitter"].astype(np.float64),
            rows["attenuation"].astype(np.float64),
        )

    def sounds(self) -> SoundBlocks:
        """The table of sounds; one without a name plays nothing."""
        block, rows = self._rows(SOUND)
        return SoundBlocks(
            block,
            rows["mode"].astype(np.int64),
            EffectChannel.straight(rows, "position"),
            Ramp.of(rows, "playback_rate"),
            rows["near"].astype(np.float64),
            rows["far"].astype(np.float64),
        )
