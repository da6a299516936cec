"""Ground plans (``.bas``): the outline of a building on the ground, and a wider ring around it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from viewer.formats.neighbors import ground_plan
from viewer.formats.neighbors.ground_plan import Ring
from viewer.model.mesh import draw_builder
from viewer.model.mesh.model import Model
from viewer.model.mesh.shown import PartChoice, PartChooser

SOLE = 0.05
"""Greatest height of what stands on the ground."""
MARGIN = 3.0
"""Distance of the second ring from the first."""

Points = npt.NDArray[np.float32]


def ground_plan_bytes(data: bytes, node: int) -> bytes:
    """The plan of a model that stands on an unmoved node: its outline there, tied to the node's triangles."""
    model = Model.read(data)
    draws = draw_builder.build(model)
    is_shown = PartChooser(model, draws).shown(PartChoice()).draws & (draws.node == node)
    rows = np.flatnonzero(np.repeat(is_shown, draws.triangle_count))
    corners = model.positions[draws.corners[rows]]
    places = np.argwhere(corners[..., 2] <= SOLE)
    points = corners[places[:, 0], places[:, 1]]
    outline = _hull(points)
    ties = places[outline]
    inner = _ring(points[outline], draws.triangle[rows[ties[:, 0]]].tolist(), ties[:, 1].tolist())
    counts = ground_plan.INNER_COUNT.new(), ground_plan.OUTER_COUNT.new()
    for count in counts:
        count["count"] = 1
    outer = _ring(_widened(points[outline]))
    return ground_plan.encode(ground_plan.GroundPlan(counts[0][0], (inner,), counts[1][0], (outer,), b""))


def _hull(points: Points) -> list[int]:
    """Indices of the corners of the convex hull in X and Y, counter-clockwise."""
    order = np.lexsort((points[:, 1], points[:, 0])).tolist()
    return _chain(points, order)[:-1] + _chain(points, order[::-1])[:-1]


def _chain(points: Points, order: Sequence[int]) -> list[int]:
    """The part of a hull that turns left all the way along the points in `order`."""
    chain: list[int] = []
    for index in order:
        while len(chain) > 1 and _turn(*points[[*chain[-2:], index], :2].astype(np.float64)) <= 1e-6:
            chain.pop()
        chain.append(index)
    return chain


def _turn(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64], c: npt.NDArray[np.float64]) -> float:
    """Twice the area of a triangle; positive if it is counter-clockwise."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _widened(points: Points) -> Points:
    """Corners farther away from their middle."""
    wide = points.copy()
    away = points[:, :2] - points[:, :2].mean(axis=0)
    wide[:, :2] += np.round(MARGIN * away / np.linalg.norm(away, axis=1, keepdims=True), 4)
    return wide


def _ring(points: Points, triangles: Sequence[int] = (), corners: Sequence[int] = ()) -> Ring:
    """A ring through `points` and back to the first."""
    header = ground_plan.HEADER.new()
    header["count"] = len(points)
    rows = ground_plan.POINT.new(len(points) + 1)
    rows["position"] = points[[*range(len(points)), 0]]
    ties = ground_plan.TRIANGLE.new(len(triangles)), ground_plan.CORNER.new(len(corners))
    ties[0]["triangle"], ties[1]["corner"] = triangles, corners
    return Ring(header[0], rows, *ties)
