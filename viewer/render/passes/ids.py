"""Picking: node, slot, batch and triangle at a pixel; culled and cut-out pixels are not hit."""

from __future__ import annotations

from time import perf_counter

import moderngl
import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.geometry.transforms import Mask
from viewer.model.mesh.draws import NO_BATCH, NO_DESCRIPTOR, NO_SLOT
from viewer.render.buffers.model_buffers import ModelBuffers
from viewer.render.passes.base import set_state
from viewer.render.passes.textured import Coverage
from viewer.render.portions import Pace, Portions
from viewer.render.programs import FrameBlock, Programs, Projection, cut
from viewer.render.targets import check_size, new_texture
from viewer.session.selection import PickHit
from viewer.session.view.camera import Size
from viewer.session.view.view_state import ViewState

DEEPEST = 64
"""Most nodes found at one pixel, one behind the other."""
PATIENCE = 0.3
"""Seconds after which no deeper hits are looked for."""
PICK_SECONDS = 3.0
"""Seconds after which a pick fails."""
# A pick draws one pixel: what costs is vertices, not pixels, so the first portion may be larger than on
# screen.
FIRST = 1 << 15
"""Triangles of the first portion: at a single pixel they cost little."""

Ids = npt.NDArray[np.uint32]


class Shot(Struct, frozen=True, eq=False):
    """The content of an id image.

    Attributes
    ----------
    draws
        Draws inside the frustum, (d,) bool.
    """

    view: ViewState
    subject: ModelBuffers
    projection: Projection
    draws: Mask

    @classmethod
    def of(cls, view: ViewState, subject: ModelBuffers, projection: Projection) -> Shot:
        """The shot with the draws that a frame of the view shows."""
        shown = subject.choose(view)
        visible = shown.visible(has_portals=view.shows_portals)
        return cls(view, subject, projection, subject.seen(shown.parts, projection) & visible)


class Picker:
    """Draws ids instead of colors; owner: the renderer, lifetime: its context."""

    def __init__(self, ctx: moderngl.Context, programs: Programs, block: FrameBlock) -> None:
        self._ctx = ctx
        self._coverage = Coverage(ctx, programs, "ids")
        self._block = block
        self._pixel = _IdTarget(ctx, (1, 1))

    def hits(self, shot: Shot, x: int, y: int) -> list[PickHit]:
        """Hits at a pixel counted from the top left, one per node, the nearest first."""
        found: list[PickHit] = []
        left, deadline = shot.draws, perf_counter() + PATIENCE
        while len(found) < DEEPEST and perf_counter() < deadline and (hit := self._nearest(shot, left, x, y)):
            found.append(hit)
            # A depth test keeps only the nearest surface, so each turn draws again without the nodes that
            # were hit.
            left = left & (shot.subject.draws.node != hit.node)
        return found

    def nearest(self, shot: Shot, x: int, y: int) -> PickHit | None:
        """The nearest hit at a pixel; None for the background."""
        return self._nearest(shot, shot.draws, x, y)

    def _nearest(self, shot: Shot, draws: Mask, x: int, y: int) -> PickHit | None:
        projection = shot.projection
        width, height = projection.size
        if not (0 <= x < width and 0 <= y < height):
            return None
        pixel = replace(shot, projection=projection.at_pixel(x, y))
        # The image is this one pixel: the projection is zoomed onto it, so nothing else is rasterized.
        return self._hit(shot, self._draw(self._pixel, pixel, draws, PICK_SECONDS, Pace(FIRST)), x, y)

    def exact(self, shot: Shot, x: int, y: int, seconds: float) -> PickHit | None:
        """The hit at a pixel inside the image, the same triangle as in `ids`; None for the background.

        Raises `DrawingTimeError` if that takes longer than some seconds.
        """
        target = _IdTarget(self._ctx, shot.projection.size, (x, y))
        return self._hit(shot, self._draw(target, shot, shot.draws, seconds, Pace()), x, y)

    def _hit(self, shot: Shot, drawn_ids: Ids, x: int, y: int) -> PickHit | None:
        """The hit of the only pixel of ids, which is at x, y of the shot."""
        subject, projection = shot.subject, shot.projection
        node, drawn = drawn_ids[0, 0].tolist()
        if node == 0:
            return None
        triangle = subject.picked.draws.merged_triangles(np.array([drawn]))
        draw, row = (int(values[0]) for values in subject.merged.source_triangles(subject.draws, triangle))
        return _hit(subject, draw, row, *projection.ray(x, y))

    def ids(self, shot: Shot, seconds: float) -> Ids:
        """Node + 1, batch + 1, triangle + 1 of every pixel, background 0: (h, w, 3), top row first.

        Raises `DrawingTimeError` if that takes longer than some seconds.
        """
        target = _IdTarget(self._ctx, shot.projection.size)
        raw = self._draw(target, shot, shot.draws, seconds, Pace())[::-1]
        is_hit = raw[..., 0] > 0
        subject, draws = shot.subject, shot.subject.draws
        triangle = subject.picked.draws.merged_triangles(raw[..., 1][is_hit].astype(np.int64))
        draw, row = subject.merged.source_triangles(draws, triangle)
        # The image holds merged triangles, as the shader counts them; they are looked up once for all pixels.
        result = np.zeros((*is_hit.shape, 3), np.uint32)
        # Absent rows are -1, so plus 1 makes 0 of "none".
        result[is_hit] = np.stack([draws.node[draw], draws.batch[draw], draws.triangle[row]], axis=1) + 1
        return result

    def _draw(self, target: _IdTarget, shot: Shot, draws: Mask, seconds: float, pace: Pace) -> Ids:
        subject, projection, portions = shot.subject, shot.projection, Portions(pace, self._ctx.finish)
        subject.pick_from(draws, projection)
        self._block.write(projection)
        subject.matrices.bind()
        target.framebuffer.use()
        target.framebuffer.clear()
        set_state(self._ctx, target.framebuffer)
        portions.begin(seconds)
        with cut(self._ctx, projection):
            self._coverage.render(subject.picked, subject.bindings, shot.view, portions)
        portions.check(seconds)
        return target.read()


class _IdTarget:
    """Two unsigned integers per pixel, and depth; never multisampled.

    Parameters
    ----------
    pixel
        The only one that is drawn and read, counted from the top left.
    """

    def __init__(self, ctx: moderngl.Context, size: Size, pixel: tuple[int, int] | None = None) -> None:
        check_size(ctx, size)
        width, height = size
        self._area = (0, 0, width, height) if pixel is None else (pixel[0], height - 1 - pixel[1], 1, 1)
        self._ids = new_texture(ctx, size, 2, dtype="u4")
        self._depth = ctx.depth_renderbuffer(size)
        self.framebuffer: moderngl.Framebuffer = ctx.framebuffer([self._ids], self._depth)
        if pixel is not None:
            # All is rasterized as for the whole image, but only this pixel is written.
            self.framebuffer.scissor = self._area

    def read(self) -> Ids:
        """The pixels, (h, w, 2), bottom row first."""
        _x, _y, width, height = self._area
        # The type must be that of the texture: with another one GL only notes an error and leaves garbage.
        # Rows of 8 bytes per pixel need no padding.
        raw = self.framebuffer.read(self._area, components=2, dtype="u4", alignment=1)
        return np.frombuffer(raw, np.uint32).reshape(height, width, 2)


def _hit(
    subject: ModelBuffers,
    draw: int,
    row: int,
    origin: npt.NDArray[np.float64],
    direction: npt.NDArray[np.float64],
) -> PickHit:
    draws = subject.draws
    node = int(draws.node[draw])
    vertices = draws.corners[row]
    # The card says which triangle; where on it follows from its plane in double precision. No depth is read
    # back.
    matrix = subject.world[node].astype(np.float64)
    corners = subject.model.positions[vertices] @ matrix[:3, :3].T + matrix[:3, 3]
    distance = _plane_distance(origin, direction, corners)
    point = origin + distance * direction
    x, y, z = point.tolist()
    return PickHit(
        draw=draw,
        node=node,
        slot=_present(draws.slot[draw], NO_SLOT),
        batch=_present(draws.batch[draw], NO_BATCH),
        triangle=int(draws.triangle[row]),
        descriptor=_present(draws.descriptor[row], NO_DESCRIPTOR),
        vertices=(int(vertices[0]), int(vertices[1]), int(vertices[2])),
        position=(x, y, z),
        distance=distance,
        nearest_vertex=int(vertices[np.linalg.norm(corners - point, axis=1).argmin()]),
    )


def _present(value: np.int64, none: int) -> int | None:
    return None if value == none else int(value)


def _plane_distance(
    origin: npt.NDArray[np.float64], direction: npt.NDArray[np.float64], corners: npt.NDArray[np.float64]
) -> float:
    """Distance along a ray to the plane of a triangle (3, 3); to its center if the plane is edge-on."""
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    slope = float(normal @ direction)
    if slope == 0:
        return float((corners.mean(axis=0) - origin) @ direction)
    return float(normal @ (corners[0] - origin)) / slope
