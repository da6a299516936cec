"""Sprites, domes and bolts of an effect, from back to front, from both sides, without writing depth.

Source: spec/effects.md 7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import moderngl
import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.model.effects.shapes import AROUND_AND_RINGS, dome, quad
from viewer.render.buffers.effect_sprites import KIND, SpriteInstances
from viewer.render.passes.base import Color, FrameScene, OverlayPass, Pass, set_state
from viewer.render.passes.lines import WORLD, LineBatch, diamond
from viewer.render.passes.marks import LINE_WIDTH, VERTEX_SHARE
from viewer.render.passes.textured import set_fog
from viewer.render.programs import Programs
from viewer.render.textures.texture_store import TextureSamplers
from viewer.session.view.options.overlays import Overlay

# GL 3.3 guarantees 16 units for a fragment shader: 6 to 13 are inside. Unit 6 is also the one of uploads,
# which are bound and used at other times.
MAPS: Final = 8
"""Textures of a call; shaders/effect.frag relies on it."""
FIRST_UNIT: Final = 6
# Dual-source blending: image = color + image * (1 - loss), with both from the shader. One set of factors then
# serves all four blend modes, so sprites of any mode are drawn in one call in the order of their distance.
SOURCE_1_COLOR, SOURCE_1_ALPHA = 0x88FA, 0x88FB
"""GL_ONE_MINUS_SRC1_COLOR and GL_ONE_MINUS_SRC1_ALPHA, which moderngl does not name."""
FACTORS: Final = (moderngl.ONE, SOURCE_1_COLOR, moderngl.ONE, SOURCE_1_ALPHA)
LEAST_ROOM: Final = 256
IN_VIEW: Final[Color] = (1.0, 0.8, 0.2, 1.0)
COVERED: Final[Color] = (1.0, 0.25, 0.2, 1.0)
FORMAT: Final = "3f 3f 3f 3f 4f 4f 3f /i"
ATTRIBUTES: Final = ("in_center", "in_x", "in_y", "in_z", "in_color", "in_cell", "in_kind")
Textures = Callable[[int], moderngl.Texture]
"""The texture of a number of `SpriteInstances.texture`."""
Run = tuple[int, int, int, tuple[int, ...]]
"""First instance, end, shape and textures of a call."""


class TestedPoint(Struct, frozen=True, eq=False):
    """A point (3,), world space, that decides how an effect is drawn, and whether the scene covers it not."""

    point: npt.NDArray[np.float64]
    is_in_view: bool = True


class TestedPointsPass(OverlayPass):
    """A diamond at each tested point, drawn over the model: yellow if it is in view, else red."""

    overlay = Overlay.TESTED_POINTS

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        super().__init__(ctx, programs)
        self.points: tuple[TestedPoint, ...] = ()
        self._lines = LineBatch(ctx, programs, diamond())

    def _draw(self, scene: FrameScene) -> None:
        self._set_line_state(scene, is_hidden_by_model=False)
        size = VERTEX_SHARE * scene.view.camera.half_height
        for is_in_view, tint in ((True, IN_VIEW), (False, COVERED)):
            points = [it.point for it in self.points if it.is_in_view is is_in_view]
            if points:
                self._lines.set_instances([WORLD] * len(points), points)
                self._lines.render(scene, LINE_WIDTH, tint=tint, stretch=size)


class EffectPass(Pass):
    """The sprites of one moment of an effect."""

    stages = ("effect", "effect")

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        super().__init__(ctx, programs)
        self._samplers = TextureSamplers(ctx)
        self._corners: dict[int, moderngl.Buffer] = {}
        self._arrays: dict[tuple[int, int], moderngl.VertexArray] = {}
        self._buffers: list[moderngl.Buffer] = []
        self._runs: list[Run] = []
        self._textures: Textures | None = None

    def show(self, sprites: SpriteInstances, textures: Textures) -> None:
        """Set the sprites to draw."""
        self._textures = textures
        self._runs = [*_runs(sprites)]
        for index, (first, end, _, numbers) in enumerate(self._runs):
            rows = sprites.rows[first:end]
            # The numbers of the textures ascend; their indices are the samplers of the call.
            rows[:, KIND.start] = np.searchsorted(numbers, sprites.texture[first:end])
            if index == len(self._buffers) or self._buffers[index].size < rows.nbytes:
                # OpenGL 3.3 has no first instance: each call has a buffer of its own.
                # Twice what is needed: the number of sprites changes with every frame while an effect grows.
                made = self._ctx.buffer(reserve=max(rows.nbytes * 2, LEAST_ROOM), dynamic=True)
                self._buffers[index : index + 1] = [made]
                # The vertex arrays of this call still refer to the smaller buffer.
                self._arrays = {key: it for key, it in self._arrays.items() if key[0] != index}
            self._buffers[index].write(rows)

    def clear(self) -> None:
        """Remove the sprites, so that nothing is drawn."""
        self._runs, self._textures = [], None

    def draw(self, scene: FrameScene) -> None:
        """Draw the sprites in their order, one call for each run."""
        # Two triangles per quad; the end of the last run is the number of sprites.
        if not self._runs or self._textures is None or not scene.portions.is_due(2 * self._runs[-1][1]):
            return
        set_state(self._ctx, scene.framebuffer, writes_depth=False, is_blended=True)
        self._ctx.blend_func = FACTORS  # type: ignore[assignment] # four factors are taken, two declared
        units = range(FIRST_UNIT, FIRST_UNIT + MAPS)
        self._program["maps"] = [*units]
        x, y, z = scene.projection.towards_eye.tolist()
        set_fog(self._program, scene.view.lighting.fog((x, y, z)))
        self._samplers.use(scene.view.textures, *units)
        for index, (first, end, shape, numbers) in enumerate(self._runs):
            for unit, number in zip(units, numbers, strict=False):
                self._textures(number).use(unit)
            self._array(index, shape).render(moderngl.TRIANGLES, instances=end - first)
        # A sampler that stays bound would override the filter of every texture that another pass has on the
        # unit.
        self._samplers.clear(*units)

    def _array(self, index: int, shape: int) -> moderngl.VertexArray:
        """The vertex array of a call with a shape."""
        key = index, shape
        if key not in self._arrays:
            content = [
                (self._shape(shape), "3f 2f", "in_corner", "in_uv"),
                (self._buffers[index], FORMAT, *ATTRIBUTES),
            ]
            self._arrays[key] = self._ctx.vertex_array(self._program, content)
        return self._arrays[key]

    def _shape(self, shape: int) -> moderngl.Buffer:
        if shape not in self._corners:
            # Shape 0 is the quad; then each dome has two numbers, 1 and 2, 3 and 4: smooth and faceted.
            number, is_faceted = divmod(shape - 1, 2)
            is_dome = shape > 0 and number < len(AROUND_AND_RINGS)
            made = dome(number, is_faceted=is_faceted == 1) if is_dome else quad()
            rows = np.hstack([made.corners, made.uv]).astype(np.float32)
            self._corners[shape] = self._ctx.buffer(rows.tobytes())
        return self._corners[shape]


def _runs(sprites: SpriteInstances) -> Iterator[Run]:
    """The calls: of one shape each, and of no more than `MAPS` textures."""
    count = len(sprites.shape)
    starts = np.flatnonzero(np.diff(sprites.shape, prepend=-1)).tolist()
    for first, end in zip(starts, [*starts[1:], count], strict=False):
        shape, numbers = int(sprites.shape[first]), np.unique(sprites.texture[first:end])
        if len(numbers) <= MAPS:
            yield first, end, shape, tuple(numbers.tolist())
        else:
            yield from _parts(sprites, first, end, shape)


def _parts(sprites: SpriteInstances, first: int, end: int, shape: int) -> Iterator[Run]:
    """The calls of sprites of one shape that have more textures than a call has."""
    # A call ends only where the ninth texture comes up, not where textures change: the order by distance
    # stays.
    seen: set[int] = set()
    start = first
    for index, number in enumerate(sprites.texture[first:end].tolist(), first):
        if number not in seen and len(seen) == MAPS:
            yield start, index, shape, tuple(sorted(seen))
            seen, start = set(), index
        seen.add(number)
    yield start, end, shape, tuple(sorted(seen))
