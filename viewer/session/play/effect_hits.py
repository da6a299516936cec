"""The blocks of an effect at a pixel of its image: those whose sprites and bolts cover it."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.geometry.transforms import project_points
from viewer.session.view.effect_look import EffectLook, seen_from

NEAR: Final = 5.0
"""Pixels from the middle of a bolt that count as on it: bolts may be thinner than a pixel."""
_CORNERS: Final = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
Reals = npt.NDArray[np.float64]


def blocks_at(look: EffectLook, x: int, y: int) -> list[int]:
    """The blocks at a pixel of an image counted from the top left, the nearest first, each once.

    A dome counts as the quad of its first two axes.
    """
    camera = look.view.camera
    inputs = look.inputs if look.keeps_eye else seen_from(look.inputs, camera)
    moment = look.program.at(inputs)
    sprites, bolts = moment.sprites, moment.bolts
    corners = sprites.center[:, None] + (
        _CORNERS[:, :1] * sprites.x[:, None] + _CORNERS[:, 1:] * sprites.y[:, None]
    )
    point = np.array([x + 0.5, y + 0.5])
    places, depths = _on_screen(look, corners)
    ends, bolt_depths = _on_screen(look, np.stack([bolts.start, bolts.end], axis=1))
    is_on, is_near = _inside(places - point), _distance(ends - point) < NEAR
    away = np.concatenate([depths[is_on].mean(axis=1), bolt_depths[is_near].mean(axis=1)])
    block = np.concatenate([sprites.block[is_on], bolts.block[is_near]])
    found = dict.fromkeys(block[np.argsort(away, kind="stable")].tolist())
    return [it for it in found if it not in look.hidden]


def _on_screen(look: EffectLook, points: Reals) -> tuple[Reals, Reals]:
    """Points of world space, (n, k, 3), as pixels (n, k, 2) and distances (n, k); NaN behind the eye."""
    width, height = look.size
    matrix = look.view.camera.clip_from_world(width / max(height, 1))
    clip = project_points(matrix, points.reshape(-1, 3)).reshape(*points.shape[:2], 4)
    w = np.where(clip[..., 3:] > 0, clip[..., 3:], np.nan)
    places: Reals = (clip[..., :2] / w * [1, -1] + 1) / 2 * [width, height]
    depths: Reals = np.nan_to_num(clip[..., 3], nan=np.inf)
    return places, depths


def _inside(corners: Reals) -> npt.NDArray[np.bool_]:
    """Which quads (n, 4, 2) hold the origin: it lies on the same side of all edges."""
    edges = np.roll(corners, -1, axis=1) - corners
    with np.errstate(invalid="ignore"):
        turns = edges[..., 0] * corners[..., 1] - edges[..., 1] * corners[..., 0]
        return np.asarray((turns > 0).all(axis=1) | (turns < 0).all(axis=1))


def _distance(ends: Reals) -> Reals:
    """How far segments (n, 2, 2) pass from the origin, (n,); infinite behind the eye."""
    way = ends[:, 1] - ends[:, 0]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = -(ends[:, 0] * way).sum(axis=1) / np.maximum((way * way).sum(axis=1), 1e-12)
        nearest = ends[:, 0] + np.clip(share, 0, 1)[:, None] * way
        return np.asarray(np.nan_to_num(np.linalg.norm(nearest, axis=1), nan=np.inf))
