"""The sprites of an effect as instances for the graphics card, from back to front.

Source: spec/effects.md 6 (type 5), 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.geometry.transforms import Indices
from viewer.model.effects.moment import EffectBolts, EffectMoment
from viewer.model.effects.program import EffectProgram
from viewer.model.material.fractions import MaterialTrack
from viewer.model.material.materials import Blend, Material, MissingResource, TextureRef, sub_image

BLENDS: Final = (Blend.ALPHA, Blend.ADD, Blend.MULTIPLY, Blend.MULTIPLY2)
"""Ways of blending, in the order of the numbers in shaders/effect.frag."""
# The layout of a row is that of FORMAT in passes/effects.py: 23 floats, 92 bytes.
CENTER, X, Y, Z, COLOR, CELL, KIND = (
    slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 12), slice(12, 16), slice(16, 20), slice(20, 23)
)  # fmt: skip
"""Columns of an instance; its kind is its texture, its blending, and whether depth is not tested."""
TINT: Final = slice(COLOR.start, COLOR.stop - 1)
WIDTH: Final = 23
# The largest number of 16 bits. Of sprites between 10 and 141 units away a step is 131 / 65535 = 0.002 units:
# what is nearer to each other than that keeps its order, which is that of the blocks.
STEPS: Final = 0xFFFF
"""Distances from the eye that are told apart when sprites are sorted."""
QUAD: Final = 0
# Row 3 and phase 2 of it give 0x30002. A material has at most 65,535 phases, as their number is an u16
# (spec/materials.md 4.1).
ROW_SHIFT: Final = 16
"""Bits of the number of a texture below the row."""
Reals = npt.NDArray[np.float64]


class SpriteMaterial(Struct, frozen=True, eq=False):
    """The material of a block.

    Attributes
    ----------
    track
        Its phases.
    texture
        The number of the texture of each key, (k,).
    cell
        The part of the texture that each key shows, (k, 4).
    blend
        Its blending, an index in `BLENDS`.
    """

    track: MaterialTrack
    texture: Indices
    cell: Reals
    blend: int


def sprite_materials(materials: Sequence[Material]) -> list[SpriteMaterial]:
    """The materials in the rows of the bindings; phases that show parts of one texture have one number."""
    first: dict[TextureRef | MissingResource | int, int] = {}
    found = []
    for row, material in enumerate(materials):
        track = MaterialTrack.of(material)
        phases = track.phase.tolist()
        pictures = [material.textures[phase] for phase in phases]
        whole = [
            # Without its page, a texture of 16 sub-images is one texture and so one number: the sprites of
            # all 16 phases fit one call.
            material.missing_of(phase) or (it and replace(it, page=None))
            for phase, it in zip(phases, pictures, strict=True)
        ]
        numbers = [
            # All phases without a texture share the key -1.
            first.setdefault(it or -1, row << ROW_SHIFT | phase)
            for phase, it in zip(phases, whole, strict=True)
        ]
        blend = BLENDS.index(material.blend) if material.blend in BLENDS else BLENDS.index(Blend.ALPHA)
        cells = np.array([sub_image(it) for it in pictures])
        found.append(SpriteMaterial(track, np.array(numbers, np.int64), cells, blend))
    return found


class SpriteInstances(Struct, frozen=True, eq=False):
    """Sprites from back to front.

    Attributes
    ----------
    rows
        Instances, (n, `WIDTH`) float32; the first number of their kind is not set.
    shape
        0 for a quad, else 1 + 2 times the shape of a dome, and 1 more with a texture on each facet, (n,).
    texture
        Row of a material times 65536 plus a phase, which names its texture, (n,).
    """

    rows: npt.NDArray[np.float32]
    shape: Indices
    texture: Indices

    def reach(self, point: Reals) -> float:
        """The distance from a point (3,) within which all sprites are, an upper bound."""
        if not len(self.rows):
            return 0.0
        # A column is at most sqrt(3) times as long as its largest component, so 2 is an upper bound, which is
        # enough for a depth range.
        sizes = sum(np.abs(self.rows[:, columns]).max() for columns in (X, Y, Z))
        return float(np.linalg.norm(self.rows[:, CENTER] - point, axis=1).max() + 2 * sizes)


NOTHING: Final = SpriteInstances(
    np.zeros((0, WIDTH), np.float32), np.zeros(0, np.int64), np.zeros(0, np.int64)
)


@np.errstate(all="ignore")  # numbers that a float of the card cannot hold are not drawn
def instances(
    program: EffectProgram,
    moment: EffectMoment,
    materials: Sequence[SpriteMaterial | None],
    eye: Reals,
    hidden: frozenset[int] = frozenset(),
    *,
    is_in_view: bool = True,
) -> SpriteInstances:
    """The sprites and the pieces of the bolts of a moment as seen from an eye (3,), world space.

    Parameters
    ----------
    materials
        One per block; blocks without one draw nothing.
    hidden
        Blocks that are not drawn.
    is_in_view
        Whether the tested point is: blocks with bit 8 then test no depth.
    """
    sprites, bolts = moment.sprites, _pieces(moment.bolts, eye)
    bolt_blocks = bolts.block
    count = len(sprites) + len(bolt_blocks)
    rows = np.empty((count, WIDTH), np.float32)
    split = len(sprites)
    for columns, of_sprites, of_bolts in (
        (CENTER, sprites.center, bolts.center), (X, sprites.x, bolts.x), (Y, sprites.y, bolts.y),
        # Bolts are made of quads, whose corners have z = 0.
        (Z, sprites.z, 0.0),
    ):  # fmt: skip
        rows[:split, columns] = of_sprites
        rows[split:, columns] = of_bolts
    rows[:split, COLOR.stop - 1], rows[split:, COLOR.stop - 1] = sprites.alpha, bolts.alpha
    block = np.concatenate([sprites.block, bolt_blocks])
    rows[:, KIND.stop - 1] = program.blocks.on_top[block] & is_in_view
    phase = np.clip(np.concatenate([sprites.phase, bolts.phase]), 0, 1)
    # -1 stays on what has no material or is hidden; it is left out at the end, when the order is known.
    texture = np.full(count, -1, np.int64)
    _set_materials(rows, block, phase, texture, materials, hidden)
    # A cell is start and size (u, v, du, dv): a larger du repeats the texture along the piece.
    rows[split:, CELL.start + 2] *= bolts.repeat
    shape = np.zeros(count, np.int64)
    # Domes 0, 1, 2 get 1 and 2, 3 and 4, 5 and 6 (smooth, faceted); `EffectPass._shape` divides it up again.
    domes = program.blocks.shape[sprites.block]
    shape[:split] = np.where(domes >= 0, 1 + 2 * domes + program.blocks.is_faceted[sprites.block], QUAD)
    order = _back_to_front(rows, eye)
    is_drawn = texture >= 0
    if not is_drawn.all():
        order = order[is_drawn[order]]
    return SpriteInstances(rows.take(order, axis=0), shape[order], texture[order])


@np.errstate(all="ignore")
def merged(parts: Sequence[SpriteInstances], eye: Reals) -> SpriteInstances:
    """The sprites of several effects from back to front as seen from an eye (3,)."""
    if len(parts) < 2:
        return parts[0] if parts else NOTHING
    rows, shape, texture = (
        np.concatenate([getattr(it, name) for it in parts]) for name in ("rows", "shape", "texture")
    )
    order = _back_to_front(rows, eye)
    return SpriteInstances(rows.take(order, axis=0), shape[order], texture[order])


def _set_materials(
    rows: npt.NDArray[np.float32],
    block: Indices,
    phase: Reals,
    texture: Indices,
    materials: Sequence[SpriteMaterial | None],
    hidden: frozenset[int],
) -> None:
    """Set the color, the part of the texture and the blending of instances, block by block."""
    # Sprites come block after block, so there are about as many slices as blocks, however many sprites.
    starts = np.flatnonzero(np.diff(block, prepend=-1))
    ends = np.append(starts[1:], len(block))[: len(starts)]
    for start, stop in zip(starts.tolist(), ends.tolist(), strict=True):
        index, run = int(block[start]), slice(start, stop)
        material = materials[index]
        if material is None or index in hidden:
            continue
        rows[run, KIND.start + 1] = material.blend
        if len(material.texture) == 1:  # as most are: one value for all
            rows[run, TINT] = knee(material.track.ambient[0])
            rows[run, CELL] = material.cell[0]
            texture[run] = material.texture[0]
            continue
        key, share = material.track.moments(phase[run])
        rows[run, TINT] = knee(material.track.colors(key, share))
        rows[run, CELL] = material.cell.take(key, axis=0)
        texture[run] = material.texture[key]


def knee(color: Reals) -> Reals:
    """Colors as the game shortens overbright ones."""
    # spec/field-notes.md 4.1: 4 becomes 1.5, 7 and all above 2. The lines meet at 1 and at 7.
    return np.where(color > 7, 2.0, np.where(color > 1, color / 6 + 5 / 6, color))


def _back_to_front(rows: npt.NDArray[np.float32], eye: Reals) -> Indices:
    """The order of instances by their distance from the eye, the farthest first; equal ones keep theirs."""
    if not len(rows):
        return np.zeros(0, np.int64)
    x, y, z = (rows[:, axis] - np.float32(eye[axis]) for axis in range(3))
    distance = np.sqrt(x * x + y * y + z * z)
    far = distance.max()
    # 1e-30 only keeps the division defined when all are equally far: the differences are 0 then.
    step = np.float32(STEPS / max(float(far - distance.min()), 1e-30))
    # Whole numbers of 16 bits are sorted twenty times as fast as fractions.
    order: Indices = np.argsort(((far - distance) * step).astype(np.uint16), kind="stable")
    return order


class _Pieces(Struct, frozen=True, eq=False):
    """The pieces of bolts as sprites."""

    block: Indices
    center: Reals
    x: Reals
    y: Reals
    alpha: Reals
    phase: Reals
    repeat: Reals


_NO_ROWS, _NO_POINTS, _NO_NUMBERS = np.zeros(0, np.int64), np.zeros((0, 3)), np.zeros(0)
_NO_PIECES: Final = _Pieces(_NO_ROWS, *(_NO_POINTS,) * 3, *(_NO_NUMBERS,) * 3)


def _pieces(bolts: EffectBolts, eye: Reals) -> _Pieces:
    """The pieces of bolts: streaks about their line, which turn their broad side to the eye."""
    if not len(bolts.block):
        return _NO_PIECES
    whole = np.repeat(np.arange(len(bolts.block)), bolts.pieces)
    # Pieces are counted within their bolt: of bolts of 3 and 2 pieces 0 1 2 0 1.
    number = np.arange(len(whole)) - np.repeat(np.cumsum(bolts.pieces) - bolts.pieces, bolts.pieces)
    along = (bolts.end[whole] - bolts.start[whole]) / bolts.pieces[whole, None]
    center = bolts.start[whole] + along * (number[:, None] + 0.5)
    # At right angles to the line and to the direction of view. It is 0 if the eye looks along the bolt, which
    # then has no side to show.
    across = np.cross(eye - center, along)
    length = np.linalg.norm(across, axis=1)
    is_seen = (length > 0) & (bolts.alpha[whole] > 0)
    whole, along, center = whole[is_seen], along[is_seen], center[is_seen]
    y = across[is_seen] / length[is_seen, None] * bolts.width[whole, None]
    return _Pieces(
        bolts.block[whole], center, along, y, bolts.alpha[whole], bolts.phase[whole], bolts.repeat[whole]
    )
