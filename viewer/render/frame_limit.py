"""The work of a frame: its limit, learned from the time that frames took, and the pixels of its triangles.

A file of some kilobytes can describe thousands of triangles that each fill the screen, one behind the
other. Sound models cost a few screens of pixels.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.geometry.transforms import Floats
from viewer.model.mesh.draws import Indices, Mask, chunks, expand
from viewer.render.buffers.merge import MergedDraws
from viewer.render.programs import Projection
from viewer.render.targets import Size

START: Final = 8e6
"""Work that any computer does at once, in pixels: some screens of them."""
LAYERS: Final = 8
"""Layers of its pixels that a frame may always draw: sound models have fewer."""
IMAGE_LAYERS: Final = 16
"""Layers of its pixels that an image begins with."""
GROWTH: Final = 4.0
"""Most by which the allowed work grows from one frame to the next."""
WORTH_IT: Final = 1.5
"""Growth of the allowed work for which a frame is drawn again."""
LIGHT: Final = 0.25
"""Part of the allowed work below which a frame is not timed."""
TRIANGLE: Final = 16.0
"""Work of a triangle apart from its pixels."""
CALL: Final = 1500.0
"""Work of a draw call."""
AT_ONCE: Final = 1 << 15
"""Triangles that are measured at once, so that the memory for it is bounded."""
MOST_CHANGED: Final = 64
"""Draws with moved vertices that are measured one by one."""


class FrameLimit:
    """The work that a frame may do, learned from the time that frames took; owner: the renderer.

    Attributes
    ----------
    seconds
        The time that a frame may take.
    allowed
        The work of the next frame, in pixels.
    """

    def __init__(self, seconds: float, allowed: float = START) -> None:
        self.seconds = seconds
        self.allowed = allowed

    @classmethod
    def of_image(cls, seconds: float, size: tuple[int, int]) -> FrameLimit:
        """The limit of an image: many layers of its pixels, and more while there is time."""
        return cls(seconds, IMAGE_LAYERS * float(size[0] * size[1]) + START)

    def is_light(self, work: float) -> bool:
        """Whether a frame is drawn without being timed."""
        return work <= LIGHT * self.allowed

    def room(self, pixels: float) -> float:
        """The work that a frame of some pixels may do."""
        return max(self.allowed, LAYERS * pixels)

    def learn(self, work: float, seconds: float) -> None:
        """Adapt to a frame that did some work in some time."""
        possible = work * self.seconds / max(seconds, 1e-6)
        self.allowed = min(possible, GROWTH * max(work, self.allowed))

    def has_grown_from(self, work: float) -> bool:
        """Whether clearly more is allowed than the work of the last frame."""
        return self.allowed > WORTH_IT * work


class DrawWork:
    """The work of the merged draws of a model; owner: its buffers, lifetime: theirs.

    Parameters
    ----------
    before
        That of an earlier state: only draws with moved vertices are measured again.

    Attributes
    ----------
    merged
        The draws.
    area
        Area of the triangles of each draw in node space, (m,) float64.
    """

    def __init__(self, merged: MergedDraws, before: DrawWork | None = None) -> None:
        self.merged = merged
        self._count = np.diff(merged.triangle_start)
        changed = None if before is None else _changed_draws(before.merged, merged)
        if before is None or changed is None:
            self.area = np.zeros(len(merged.draw), np.float64)
            ranges = [*chunks(self._count, AT_ONCE)]
        else:
            self.area = before.area.copy()
            ranges = [slice(draw, draw + 1) for draw in changed]
        for some in ranges:
            self._measure(some)

    @np.errstate(over="ignore", invalid="ignore")
    def _measure(self, some: slice) -> None:
        """Measure a range of draws."""
        merged = self.merged
        first, after = merged.triangle_start[some.start], merged.triangle_start[some.stop]
        a, b, c = np.moveaxis(merged.positions[merged.corners[first:after]], 1, 0)
        doubled = np.linalg.norm(np.cross(b - a, c - a), axis=1).astype(np.float64)
        self.area[some] = np.add.reduceat(doubled / 2, merged.triangle_start[some] - first)

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def most(
        self,
        draws: Indices,
        begins_call: Mask,
        matrix: Floats,
        center: Floats,
        extent: Floats,
        projection: Projection,
    ) -> float:
        """A bound of the work of some draws, quickly found, often far too high.

        Parameters
        ----------
        draws
            The merged draws, (k,).
        begins_call
            Whether a call begins with them, (k,) bool.
        matrix
            ``world_from_node`` of every merged draw, (3, 4, m).
        center, extent
            Boxes of every merged draw in world space, (3, m).
        """
        count = self._count[draws]
        scale = np.square(matrix[:, :3, draws]).sum(axis=0).max(axis=0, initial=0)
        clip_from_world = projection.clip_from_world
        depth = clip_from_world[3, :3] @ center[:, draws] + clip_from_world[3, 3]
        # The depth of the nearest point of each box: pixels grow with the inverse square of it.
        depth -= np.abs(clip_from_world[3, :3]) @ extent[:, draws]
        width, height = projection.size
        focal = np.linalg.norm(clip_from_world[:2, :3], axis=1) * (width / 2, height / 2)
        pixels = self.area[draws] * scale * focal.prod() / np.square(depth)
        screens = count * float(width * height)
        is_near = ~((depth > 0) & (pixels < screens))
        # A box that reaches the plane of the eye, or not a number, counts as a full screen per triangle.
        pixels[is_near] = screens[is_near]
        return float(pixels.sum() + count.sum() * TRIANGLE + np.count_nonzero(begins_call) * CALL)

    def of_triangles(
        self, draws: Indices, begins_call: Mask, world: Floats, projection: Projection
    ) -> Floats:
        """The work of each triangle of some draws, in their order, (n,).

        Parameters
        ----------
        draws
            The merged draws, (k,).
        begins_call
            Whether a call begins with them, (k,) bool.
        world
            ``world_from_node``, (n, 4, 4).
        """
        # x, y and w; z does not matter for the size on the screen.
        clip_from_node = (projection.clip_from_world @ world).astype(np.float32)[:, [0, 1, 3]]
        count = self._count[draws]
        work = [np.zeros(0, np.float32)]
        work += [
            self._pixels(draws[some], clip_from_node, projection.size) for some in chunks(count, AT_ONCE)
        ]
        result: Floats = np.concatenate(work) + np.float32(TRIANGLE)
        result[(np.cumsum(count) - count)[begins_call]] += CALL  # to the first triangle of the draw
        return result

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def _pixels(self, draws: Indices, clip_from_node: Floats, size: Size) -> Floats:
        """Half of the box around the visible part of each triangle on the screen."""
        merged = self.merged
        listed = merged.corners[expand(merged.triangle_start[draws], self._count[draws])]
        vertex, corners = _used(listed)
        matrix = clip_from_node[merged.node[vertex]]
        clip: Floats = np.einsum("nij,nj->ni", matrix[..., :3], merged.positions[vertex]) + matrix[..., 3]
        half: Floats = np.array(size, np.float32) / np.float32(2)
        screen = (np.clip(clip[:, :2] / clip[:, 2:], -1, 1) * half)[corners]
        side = screen.max(axis=1) - screen.min(axis=1)
        is_before = clip[:, 2][corners] > 0
        is_partly = is_before.any(axis=1) & ~is_before.all(axis=1)
        side[is_partly] = _sides_before_the_eye(clip[corners[is_partly]], half)
        side[~is_before.any(axis=1)] = 0
        side[~np.isfinite(side).all(axis=1)] = 2 * half  # unknown: the whole screen
        # Half the box, and one pixel along its sides: thin triangles touch more pixels than their area has.
        pixels: Floats = side.prod(axis=1) / 2 + side.sum(axis=1)
        return pixels


def _sides_before_the_eye(corners: Floats, half: Floats) -> Floats:
    """Sides of the boxes on the screen, (n, 2), around the parts of triangles (n, 3, 3) before the eye.

    The corners are x, y and w in clip space, and some of each triangle are behind the eye.
    """
    depth = corners[..., 2:]
    nearest = depth.max(axis=1, keepdims=True) * np.float32(1e-6)
    # Each edge is cut where its depth is 1e-6 of the nearest corner's: at depth 0 the division would explode.
    ahead = np.roll(corners, -1, axis=1)
    cut = corners + (nearest - depth) / (ahead[..., 2:] - depth) * (ahead - corners)
    is_cut = (depth > nearest) != (ahead[..., 2:] > nearest)
    points = np.concatenate([corners[..., :2] / depth, cut[..., :2] / nearest], axis=1)
    is_seen = np.concatenate([depth > nearest, is_cut], axis=1)
    screen = np.clip(points, -1, 1) * half
    low, high = np.where(is_seen, screen, np.inf).min(axis=1), np.where(is_seen, screen, -np.inf).max(axis=1)
    sides: Floats = (high - low).astype(np.float32)
    return sides


def _used(corners: npt.NDArray[np.uint32]) -> tuple[slice | npt.NDArray[np.uint32], npt.NDArray[np.integer]]:
    """The vertices of triangles, and the triangles' corners among them."""
    low, high = int(corners.min()), int(corners.max()) + 1
    if high - low <= corners.size:
        return slice(low, high), corners - np.uint32(low)
    used, number = np.unique(corners, return_inverse=True)
    return used, number.reshape(corners.shape)


def _changed_draws(before: MergedDraws, merged: MergedDraws) -> list[int] | None:
    """The merged draws with moved vertices; None if there are many, or the triangles are others."""
    if before.corners is not merged.corners:
        return None
    if before.positions is merged.positions:
        return []
    moved = np.flatnonzero((before.positions != merged.positions).any(axis=1))
    draws = np.unique(np.searchsorted(merged.vertex_start, moved, side="right") - 1)
    return draws.tolist() if len(draws) <= MOST_CHANGED else None
