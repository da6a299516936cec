"""The sprites and bolts of an effect at a pixel of its image, and the blocks that draw them."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from viewer.geometry.transforms import project_points
from viewer.model.effects.moment import EffectMoment
from viewer.session.view.camera import Camera
from viewer.session.view.effect_look import EffectLook, seen_from

NEAR: Final = 5.0
"""Pixels from the middle of a bolt that count as on it: bolts may be thinner than a pixel."""
_CORNERS: Final = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
Reals = npt.NDArray[np.float64]


class SpriteHit(NamedTuple):
    """A sprite or a bolt at a pixel.

    Attributes
    ----------
    row
        Row of the sprite among those that are drawn at this time, or of the bolt among the bolts.
    away
        Its distance from the eye, along the direction of the view, world units.
    """

    block: int
    row: int
    is_bolt: bool
    away: float


def hits_at(
    moment: EffectMoment, camera: Camera, size: tuple[int, int], pixel: tuple[int, int]
) -> list[SpriteHit]:
    """The sprites and bolts at a pixel of an image counted from the top left, the nearest first.

    A dome counts as the quad of its first two axes.
    """
    sprites, bolts = moment.sprites, moment.bolts
    corners = sprites.center[:, None] + (
        _CORNERS[:, :1] * sprites.x[:, None] + _CORNERS[:, 1:] * sprites.y[:, None]
    )
    point = np.array(pixel) + 0.5
    places, depths = _on_screen(camera, size, corners)
    ends, bolt_depths = _on_screen(camera, size, np.stack([bolts.start, bolts.end], axis=1))
    is_on, is_near = _inside(places - point), _distance(ends - point) < NEAR
    away = np.concatenate([depths[is_on].mean(axis=1), bolt_depths[is_near].mean(axis=1)]).tolist()
    rows = [(int(it), False) for it in np.flatnonzero(is_on)]
    rows += [(int(it), True) for it in np.flatnonzero(is_near)]
    found = [
        SpriteHit(int((bolts if is_bolt else sprites).block[row]), row, is_bolt, it)
        for (row, is_bolt), it in zip(rows, away, strict=True)
    ]
    return sorted(found, key=lambda it: it.away)


def blocks_at(look: EffectLook, x: int, y: int) -> list[int]:
    """The blocks at a pixel of an image counted from the top left, the nearest first, each once."""
    found = hits_at(moment_of(look), look.view.camera, look.size, (x, y))
    return [it for it in dict.fromkeys(hit.block for hit in found) if it not in look.hidden]


def moment_of(look: EffectLook) -> EffectMoment:
    """The moment of an effect that an image shows."""
    inputs = look.inputs if look.keeps_eye else seen_from(look.inputs, look.view.camera)
    return look.program.at(inputs)


def _on_screen(camera: Camera, size: tuple[int, int], points: Reals) -> tuple[Reals, Reals]:
    """Points of world space, (n, k, 3), as pixels (n, k, 2), NaN behind the eye, and depths (n, k)."""
    width, height = size
    matrix = camera.clip_from_world(width / max(height, 1))
    clip = project_points(matrix, points.reshape(-1, 3)).reshape(*points.shape[:2], 4)
    w = np.where(clip[..., 3:] > 0, clip[..., 3:], np.nan)
    places: Reals = (clip[..., :2] / w * [1, -1] + 1) / 2 * [width, height]
    return places, depth_of(camera, points)


def depth_of(camera: Camera, points: npt.ArrayLike) -> Reals:
    """Distance of points (..., 3) from the eye along the direction of the view, world units, (...)."""
    depths: Reals = (camera.eye - np.asarray(points)) @ camera.axes[2]
    return depths


def _inside(corners: Reals) -> npt.NDArray[np.bool_]:
    """Mask of the quads (n, 4, 2) that hold the origin: it lies on the same side of all edges."""
    edges = np.roll(corners, -1, axis=1) - corners
    with np.errstate(invalid="ignore"):
        turns = edges[..., 0] * corners[..., 1] - edges[..., 1] * corners[..., 0]
        return np.asarray((turns > 0).all(axis=1) | (turns < 0).all(axis=1))


def _distance(ends: Reals) -> Reals:
    """Distances of segments (n, 2, 2) from the origin, (n,); infinite behind the eye."""
    way = ends[:, 1] - ends[:, 0]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = -(ends[:, 0] * way).sum(axis=1) / np.maximum((way * way).sum(axis=1), 1e-12)
        nearest = ends[:, 0] + np.clip(share, 0, 1)[:, None] * way
        return np.asarray(np.nan_to_num(np.linalg.norm(nearest, axis=1), nan=np.inf))
