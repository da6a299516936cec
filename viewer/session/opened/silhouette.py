"""Rough place of a model in the image: a rectangle per part, at several moments of its animation."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.geometry.bounds import box_corners
from viewer.geometry.transforms import project_points
from viewer.model.mesh.draws import Draws
from viewer.session.opened.document import Document
from viewer.session.play import posing
from viewer.session.view.camera import Camera
from viewer.session.view.view_state import ViewState

MOMENTS: Final = 9
"""Times, from the first frame to the last, at which parts are looked at."""
MOST_BOXES: Final = 50_000
Rectangles = npt.NDArray[np.float64]


class Silhouette:
    """The boxes of the parts that a view shows, at several times, world space.

    Attributes
    ----------
    boxes
        Their corners, (n, 8, 3).
    """

    def __init__(self, document: Document, view: ViewState) -> None:
        draws = document.draws
        parts = np.flatnonzero(document.shown(view).parts)
        end = posing.end(document, view) if document.animation.is_animated else 0.0
        times = np.linspace(0.0, end, MOMENTS) if end else [0.0]
        parts = parts[: MOST_BOXES // len(times)]
        local = _corners(draws, parts)
        poses = (posing.pose(document, posing.at(view, float(time))) for time in times)
        worlds = (pose.world[draws.parts.node[parts]] for pose in poses)
        posed = [
            np.einsum("pij,pkj->pki", world[:, :3, :3], local) + world[:, None, :3, 3] for world in worlds
        ]
        found = np.concatenate(posed).astype(np.float64)
        self.boxes = found[np.isfinite(found).all(axis=(1, 2))]

    def rectangles(self, camera: Camera, aspect: float) -> Rectangles:
        """The rectangle of each box in the image: left, top, right, bottom from 0 to 1, (n, 4)."""
        clip = project_points(camera.clip_from_world(aspect), self.boxes.reshape(-1, 3)).reshape(-1, 8, 4)
        depth = np.maximum(clip[..., 3], 1e-9)
        x, y = 0.5 + 0.5 * clip[..., 0] / depth, 0.5 - 0.5 * clip[..., 1] / depth
        return np.stack([x.min(axis=1), y.min(axis=1), x.max(axis=1), y.max(axis=1)], axis=1)


def _corners(draws: Draws, parts: npt.NDArray[np.int64]) -> npt.NDArray[np.floating]:
    center, extent = draws.parts.box_center[:, parts].T, draws.parts.box_extent[:, parts].T
    return box_corners(center - extent, center + extent)


def is_covered(rectangles: Rectangles, left: float, top: float, right: float, bottom: float) -> bool:
    """Whether an area of the image, from 0 to 1, meets any of some rectangles."""
    across = (rectangles[:, 0] < right) & (rectangles[:, 2] > left)
    return bool((across & (rectangles[:, 1] < bottom) & (rectangles[:, 3] > top)).any())
