"""The sprites and bolts of effects at a pixel: what each is, where its color comes from, its bytes.

Source: spec/effects.md 5 to 7; spec/field-notes.md 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.dataclass import dataclass
from viewer.formats import fxid
from viewer.geometry.transforms import point_of
from viewer.model.effects.moment import EffectMoment
from viewer.model.effects.shapes import LAST
from viewer.model.material.fractions import MaterialTrack
from viewer.model.material.light import knee
from viewer.model.material.materials import Material
from viewer.model.mesh.animation import Pose
from viewer.model.references.offsets import FileRanges, StoredRange, start_in_file
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.opened.document import Document
from viewer.session.pixel.shading import Numbers, Texel, texel_at
from viewer.session.play.effect_hits import SpriteHit, depth_of, hits_at
from viewer.session.play.model_effects import PlayedEffect, played, rows_of
from viewer.session.selection import PickHit
from viewer.session.view.camera import Camera
from viewer.session.view.effect_look import seen_from
from viewer.session.view.view_state import ViewState

NO_BLOCKS: Final[frozenset[int]] = frozenset()
Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ShownSprite:
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


@dataclass(frozen=True, slots=True, eq=False)
class EffectPixel:
    """What a pixel of an effect shows; the sprites are sorted from the nearest to the farthest.

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
    sprites: tuple[ShownSprite, ...]
    ranges: tuple[StoredRange, ...]


def explain_effect(
    store: FileStore,
    source: Address,
    effect: PlayedEffect,
    view: ViewState,
    size: tuple[int, int],
    pixel: tuple[int, int],
) -> EffectPixel:
    """What a pixel of the stage of an effect shows; raises `MshviewError` if a file cannot be read."""
    moment = _moment(effect, view.camera)
    found = _sprites(source, effect, moment, view, size, pixel, view.playback.stage.hidden)
    return EffectPixel(source, *pixel, size, moment.time, moment.age, found, tuple(ranges_of(store, found)))


def sprites_over(
    document: Document,
    view: ViewState,
    pose: Pose,
    size: tuple[int, int],
    pixel: tuple[int, int],
    hit: PickHit | None,
) -> tuple[ShownSprite, ...]:
    """What the effects that play on a model in a pose draw over a pixel, the nearest first.

    Sprites behind `hit`, the triangle there, are left out, unless they are drawn over all.
    """
    rows, surface = rows_of(document), view.playback.effects.surface
    depth = inf if hit is None else float(depth_of(view.camera, hit.position))
    found: list[ShownSprite] = []
    for effect in played(document, view, pose):
        loaded, on_top = rows[effect.key].variant(surface), effect.program.blocks.on_top
        if loaded is not None:
            moment = _moment(effect, view.camera)
            shown = _sprites(loaded.address, effect, moment, view, size, pixel, NO_BLOCKS)
            found += (it for it in shown if it.away < depth or on_top[it.block])
    return tuple(sorted(found, key=lambda it: it.away))


def ranges_of(store: FileStore, sprites: tuple[ShownSprite, ...]) -> Iterator[StoredRange]:
    """The bytes of the blocks of sprites, and of what they show of their textures, each once."""
    found: dict[object, StoredRange | None] = {}
    for it in sprites:
        key = it.source, it.block
        if key not in found:
            found[key] = FileRanges(store, it.source).find("block", fxid.COMMANDS, it.block)
        if it.texel is not None:
            start, (at, size) = start_in_file(store, it.texel.texture.address), it.texel.span
            offset = None if start is None else start + at
            found[it.texel.place] = StoredRange("texel", it.texel.place, offset, size)
    yield from filter(None, found.values())


def _moment(effect: PlayedEffect, camera: Camera) -> EffectMoment:
    return effect.program.at(effect.inputs if effect.keeps_eye else seen_from(effect.inputs, camera))


def _sprites(
    source: Address,
    effect: PlayedEffect,
    moment: EffectMoment,
    view: ViewState,
    size: tuple[int, int],
    pixel: tuple[int, int],
    hidden: frozenset[int],
) -> tuple[ShownSprite, ...]:
    hits = (it for it in hits_at(moment, view.camera, size, pixel) if it.block not in hidden)
    blocks, found = effect.program.blocks, []
    for hit in hits:
        material, phase, tint, texel = effect.materials[hit.block], None, None, None
        table = moment.bolts if hit.is_bolt else moment.sprites
        if material is not None:
            track = MaterialTrack.of(material)
            key, share = track.moments(np.clip(table.phase[hit.row : hit.row + 1], 0, 1))
            phase, tint = int(track.phase[key[0]]), knee(track.colors(key, share)[0])
            texture = material.textures[phase]
            uv = None if hit.is_bolt or blocks.shape[hit.block] >= 0 else _uv(moment, hit, view, size, pixel)
            texel = None if texture is None or uv is None else texel_at(texture, uv, view.textures)
        found.append(
            ShownSprite(
                source,
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
                None if tint is None else tuple(tint.tolist()),
                texel,
            )
        )
    return tuple(found)


def _placed(moment: EffectMoment, hit: SpriteHit) -> tuple[Numbers, Numbers]:
    """Where a sprite is, and what it spans."""
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
    return (np.clip([a, b], -0.5, 0.5) + 0.5) * LAST


def _ray(camera: Camera, size: tuple[int, int], pixel: tuple[int, int]) -> tuple[Reals, Reals]:
    """Where the line of sight of a pixel begins, and its direction, (3,) each."""
    (width, height), (x, y) = size, pixel
    right, up, backward = camera.axes
    half = camera.half_height
    across = right * ((2 * (x + 0.5) / width - 1) * half * width / max(height, 1))
    across = across + up * ((1 - 2 * (y + 0.5) / height) * half)
    if camera.is_orthographic:
        return camera.eye + across, -backward
    return camera.eye, across - backward * camera.distance
