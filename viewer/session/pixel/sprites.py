"""The sprites and bolts of effects at a pixel: what each is, where its color comes from, its bytes.

Source: spec/effects.md 5 to 7; spec/field-notes.md 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.formats import fxid
from viewer.geometry.transforms import point_of
from viewer.model.effects.moment import EffectMoment
from viewer.model.effects.shapes import LAST
from viewer.model.material.fractions import MaterialTrack
from viewer.model.material.light import knee
from viewer.model.material.materials import Material
from viewer.model.references.offsets import FileRanges, StoredRange, start_in_file
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.pixel.shading import Numbers, Texel, texel_at
from viewer.session.play.effect_hits import SpriteHit, depth_of, hits_at
from viewer.session.play.model_effects import PlayedEffect
from viewer.session.selection import PickHit
from viewer.session.view.camera import Camera
from viewer.session.view.effect_look import seen_from
from viewer.session.view.view_state import ViewState

MOST_SPRITES: Final = 12
"""Sprites of a pixel that are explained, the nearest ones; a burst may have hundreds there."""
Reals = npt.NDArray[np.float64]


class ShownSprite(Struct, frozen=True, eq=False):
    """A sprite, a dome or a bolt at a pixel.

    Attributes
    ----------
    source
        Address of the effect.
    block, opcode
        The block that draws it, and the kind of that.
    particle
        Its number in the block; None for a bolt.
    window, progress
        When the block is active, and where it is in that: p, of a glow p'.
    place, size
        Its center, and what it spans along its first two axes; of a bolt its start, its length and its width.
    away
        Its distance from the eye along the direction of the view, world units.
    alpha
        Of the sprite, before that of its texel.
    material, phase, tint
        The material, its phase now, and what the texture is multiplied by; None without a material.
    texel
        What it shows of its texture there; None for a dome, a bolt and without a texture.
    """

    source: Address
    block: int
    opcode: int
    particle: int | None
    window: tuple[float, float]
    progress: float
    place: Numbers
    size: Numbers
    away: float
    alpha: float
    material: Material | None
    phase: int | None = None
    tint: Numbers | None = None
    texel: Texel | None = None


class PixelSprites(Struct, frozen=True, eq=False):
    """The sprites at a pixel: the nearest ones, from the eye on, and how many there are."""

    nearest: tuple[ShownSprite, ...] = ()
    count: int = 0


NO_SPRITES: Final = PixelSprites()


class _PointedSprite(Struct, frozen=True, eq=False):
    """A sprite at a pixel of an image, by its effect, the moment of that, and its row."""

    effect: PlayedEffect
    moment: EffectMoment
    hit: SpriteHit


class EffectPixel(Struct, frozen=True, eq=False):
    """The explanation of a pixel of an effect.

    Attributes
    ----------
    source
        Address of the effect.
    x, y
        The pixel, counted from the top left.
    size
        Width and height of the image, pixels.
    time, age
        ``t`` and ``lin`` of the effect.
    ranges
        The bytes of the blocks and of the texels.
    """

    source: Address
    x: int
    y: int
    size: tuple[int, int]
    time: float
    age: float
    sprites: PixelSprites
    ranges: tuple[StoredRange, ...]


def explain_effect(
    store: FileStore,
    effect: PlayedEffect,
    view: ViewState,
    size: tuple[int, int],
    pixel: tuple[int, int],
) -> EffectPixel:
    """The explanation of a pixel of an effect's stage; raises `MshviewError` if a file cannot be read."""
    moment, hidden = _moment(effect, view.camera), view.playback.stage.hidden
    hits = (it for it in hits_at(moment, view.camera, size, pixel) if it.block not in hidden)
    found = _shown([_PointedSprite(effect, moment, it) for it in hits], view, size, pixel)
    ranges = tuple(ranges_of(store, found))
    return EffectPixel(effect.source, *pixel, size, moment.time, moment.age, found, ranges)


def sprites_over(
    effects: Iterable[PlayedEffect],
    view: ViewState,
    size: tuple[int, int],
    pixel: tuple[int, int],
    hit: PickHit | None,
) -> PixelSprites:
    """The sprites of the playing effects over a pixel.

    Sprites behind `hit`, the triangle there, are left out, unless they are drawn over all.
    """
    depth = inf if hit is None else float(depth_of(view.camera, hit.position))
    found: list[_PointedSprite] = []
    for effect in effects:
        moment, on_top = _moment(effect, view.camera), effect.program.blocks.on_top
        hits = hits_at(moment, view.camera, size, pixel)
        over = (it for it in hits if it.away < depth or on_top[it.block])
        found += (_PointedSprite(effect, moment, it) for it in over)
    return _shown(sorted(found, key=lambda it: it.hit.away), view, size, pixel)


def ranges_of(store: FileStore, sprites: PixelSprites) -> Iterator[StoredRange]:
    """The bytes of the blocks of the nearest sprites, and of what they show of their textures, each once."""
    found: dict[object, StoredRange | None] = {}
    files: dict[Address, FileRanges] = {}
    for it in sprites.nearest:
        if it.source not in files:
            files[it.source] = FileRanges(store, it.source)
        found[it.source, it.block] = files[it.source].find("block", fxid.COMMANDS, it.block)
        if it.texel is not None:
            start, (at, size) = start_in_file(store, it.texel.texture.address), it.texel.span
            offset = None if start is None else start + at
            found[it.texel.place] = StoredRange("texel", it.texel.place, offset, size)
    yield from filter(None, found.values())


def _moment(effect: PlayedEffect, camera: Camera) -> EffectMoment:
    return effect.program.at(effect.inputs if effect.keeps_eye else seen_from(effect.inputs, camera))


def _shown(
    hits: Sequence[_PointedSprite], view: ViewState, size: tuple[int, int], pixel: tuple[int, int]
) -> PixelSprites:
    """The visible hits at a pixel, from the nearest to the farthest."""
    nearest = (_sprite(it, view, size, pixel) for it in hits[:MOST_SPRITES])
    return PixelSprites(tuple(nearest), len(hits))


def _sprite(
    found: _PointedSprite, view: ViewState, size: tuple[int, int], pixel: tuple[int, int]
) -> ShownSprite:
    """The explanation of a sprite, with the phase of its material, and its texel."""
    effect, moment, hit = found.effect, found.moment, found.hit
    blocks, table = effect.program.blocks, moment.bolts if hit.is_bolt else moment.sprites
    material, phase, tint, texel = effect.materials[hit.block], None, None, None
    if material is not None:
        track = MaterialTrack.of(material)
        key, share = track.moments(np.clip(table.phase[hit.row : hit.row + 1], 0, 1))
        phase, tint = int(track.phase[key[0]]), tuple(knee(track.colors(key, share)[0]).tolist())
        texture, is_flat = material.textures[phase], not hit.is_bolt and blocks.shape[hit.block] < 0
        uv = _uv(moment, hit, view, size, pixel) if is_flat else None
        texel = None if texture is None or uv is None else texel_at(texture, uv, view.textures)
    return ShownSprite(
        effect.source,
        hit.block,
        int(blocks.opcodes[hit.block]),
        None if hit.is_bolt else int(moment.sprites.particle[hit.row]),
        (float(blocks.start[hit.block]), float(blocks.end[hit.block])),
        float(moment.progress[hit.block]),
        *_placed(moment, hit),
        hit.away,
        float(table.alpha[hit.row]),
        material,
        phase,
        tint,
        texel,
    )


def _placed(moment: EffectMoment, hit: SpriteHit) -> tuple[Numbers, Numbers]:
    """Place of a sprite, and its extent."""
    row, sprites, bolts = hit.row, moment.sprites, moment.bolts
    if hit.is_bolt:
        length = float(np.linalg.norm(bolts.end[row] - bolts.start[row]))
        return point_of(bolts.start[row]), (length, float(bolts.width[row]))
    spans = tuple(float(np.linalg.norm(it[row])) for it in (sprites.x, sprites.y))
    return point_of(sprites.center[row]), spans


def _uv(
    moment: EffectMoment, hit: SpriteHit, view: ViewState, size: tuple[int, int], pixel: tuple[int, int]
) -> Reals | None:
    """The texture coordinate (2,) of a sprite at a pixel; None if it is seen from its edge."""
    origin, direction = _ray(view.camera, size, pixel)
    center, x, y = (getattr(moment.sprites, name)[hit.row] for name in ("center", "x", "y"))
    try:
        a, b, _away = np.linalg.solve(np.column_stack([x, y, -direction]), origin - center)
    except np.linalg.LinAlgError:
        return None
    uv: Reals = (np.clip([a, b], -0.5, 0.5) + 0.5) * LAST
    return uv


def _ray(camera: Camera, size: tuple[int, int], pixel: tuple[int, int]) -> tuple[Reals, Reals]:
    """Start of the line of sight of a pixel, and its direction, (3,) each."""
    (width, height), (x, y) = size, pixel
    right, up, backward = camera.axes
    half = camera.half_height
    across = right * ((2 * (x + 0.5) / width - 1) * half * width / max(height, 1))
    across = across + up * ((1 - 2 * (y + 0.5) / height) * half)
    if camera.is_orthographic:
        return camera.eye + across, -backward
    return camera.eye, across - backward * camera.distance
