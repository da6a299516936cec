"""Shader programs from files, compiled on first use and kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Final

import moderngl
import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.geometry import frustum, transforms
from viewer.geometry.transforms import Matrix
from viewer.resources import bundled_path
from viewer.session.view.camera import Camera, Size
from viewer.session.view.options.section import Plane

FRAME_BINDING: Final = 0
"""Uniform buffer slot of the ``Frame`` block (shaders/include/frame.glsl)."""

NODE_UNIT, MASK_UNIT, MATERIAL_UNIT, BASE_UNIT, LIGHTMAP_UNIT = range(5)
"""Texture units of the node matrices, a mask of marked objects, the material parameters, the texture and the
lightmap."""
SECOND_UNIT, MICRO_UNIT, SECOND_MICRO_UNIT = 5, 7, 8
"""Texture units of the second material of terrain, and of the microtextures of both."""
GROUP_UNIT: Final = SECOND_UNIT
"""The texture unit of the group numbers, which no program has together with a second material."""
UPLOAD_UNIT: Final = 6
"""The unit of a texture that is filled or resolved; between the two sprites of effects may have it."""
UNITS: Final = {
    "node_rows": NODE_UNIT,
    "mask": MASK_UNIT,
    "material_rows": MATERIAL_UNIT,
    "base_map": BASE_UNIT,
    "light_map": LIGHTMAP_UNIT,
    "second_map": SECOND_UNIT,
    "micro_map": MICRO_UNIT,
    "second_micro_map": SECOND_MICRO_UNIT,
    "groups": GROUP_UNIT,
    "sample_map": UPLOAD_UNIT,
}
"""The unit of each sampler; set once, as samplers of different types must not share the default unit 0."""

_INCLUDE: Final = re.compile(r'^#include "([^"]+)"$', re.MULTILINE)
FRAME_BYTES: Final = 192
"""Size of the ``Frame`` block: two matrices, the eye, the origin, the target size, padding, the section."""

EVERYTHING: Final[Plane] = (0.0, 0.0, 0.0, 1.0)
"""A plane that keeps everything."""


class Programs:
    """The programs of one context; owner and lifetime: the context.

    Parameters
    ----------
    ctx
        The context to compile for.
    folder
        The folder of ``<pass>.vert``, ``.geom``, ``.frag`` and ``include/``.
    """

    def __init__(self, ctx: moderngl.Context, folder: Path) -> None:
        self._ctx = ctx
        self._folder = folder
        self._built: dict[tuple[object, ...], moderngl.Program] = {}

    @classmethod
    def of(cls, ctx: moderngl.Context) -> Programs:
        """The programs of a context from the program's own shaders, shared by all that draw in it.

        A program keeps the uniforms of the last draw, so that a caller sets all that are not constants.
        """
        # `extra` is free for us in moderngl, and lives as long as the context.
        if ctx.extra is None:
            ctx.extra = cls(ctx, bundled_path("shaders"))
        shared: Programs = ctx.extra
        return shared

    def get(
        self, vertex: str, fragment: str, geometry: str | None = None, **fixed: float
    ) -> moderngl.Program:
        """The program of a vertex, a fragment and a geometry shader, named without their suffixes.

        The uniforms in `fixed` become constants: a driver that draws on the processor runs both sides of a
        branch on a uniform, but only one of a branch on a constant.
        """
        # True and 1.0 are equal as keys, but each name has always the same type, so no two programs meet.
        key = (vertex, fragment, geometry, *fixed.items())
        if key not in self._built:
            self._built[key] = self._build(vertex, fragment, geometry, fixed)
        return self._built[key]

    def source(self, name: str) -> str:
        """The text of a shader file with its includes inserted."""
        return _INCLUDE.sub(lambda match: self._text(f"include/{match[1]}"), self._text(name))

    def _build(
        self, vertex: str, fragment: str, geometry: str | None, fixed: Mapping[str, float]
    ) -> moderngl.Program:
        placing, filling = self.source(f"{vertex}.vert"), self.source(f"{fragment}.frag")
        for name, value in fixed.items():
            uniform = re.compile(rf"^uniform (bool|int|float) {name};", re.MULTILINE)
            # Python writes True, GLSL true. Only scalars are replaced; `int` and `float` are written as each
            # language does.
            constant = rf"const \1 {name} = {str(value).lower()};"
            placing, filling = (uniform.sub(constant, text) for text in (placing, filling))
        program = self._ctx.program(
            vertex_shader=placing,
            fragment_shader=filling,
            geometry_shader=self.source(f"{geometry}.geom") if geometry else None,
        )
        block = program.get("Frame", None)
        if isinstance(block, moderngl.UniformBlock):
            block.binding = FRAME_BINDING
        for name, unit in UNITS.items():
            if name in program:
                program[name] = unit
        return program

    def _text(self, name: str) -> str:
        return self._folder.joinpath(name).read_text(encoding="utf-8")


class Projection(Struct, frozen=True, eq=False, dict=True):
    """The projection from world space to the pixels of one target.

    Attributes
    ----------
    view_from_world, clip_from_world
        Shape (4, 4) float64.
    eye
        Position and 1; for a parallel projection the direction towards the eye and 0. Shape (4,).
    size
        The target in pixels.
    origin
        A point near what is seen, from which positions are small, world space.
    section
        The plane of which models keep the positive side, world space; None keeps everything.
    """

    view_from_world: Matrix
    clip_from_world: Matrix
    eye: npt.NDArray[np.float64]
    size: Size
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    section: Plane | None = None

    @classmethod
    def of(cls, camera: Camera, size: Size, section: Plane | None = None) -> Projection:
        """The projection of a camera onto a target."""
        eye = (*camera.axes[2], 0.0) if camera.is_orthographic else (*camera.eye, 1.0)
        view_from_world = camera.view_from_world
        clip_from_world = camera.clip_from_view(size[0] / size[1]) @ view_from_world
        return cls(view_from_world, clip_from_world, np.array(eye), size, camera.target, section)

    @cached_property
    def frustum(self) -> frustum.Planes:
        """The six planes of the view frustum, (6, 4)."""
        return frustum.planes(self.clip_from_world)

    @property
    def towards_eye(self) -> npt.NDArray[np.float64]:
        """The direction against that of the view, a unit vector in world space, (3,)."""
        return np.asarray(self.view_from_world, np.float64)[2, :3]

    def at_pixel(self, x: float, y: float) -> Projection:
        """The projection zoomed onto the pixel whose top left corner is `x`, `y`, counted from the top."""
        width, height = self.size
        # In clip space a pixel is 2 / w wide, with its center at (2 x + 1) / w - 1: scaled by w and moved by
        # w - 2 x - 1 it becomes [-1, 1]. y counts from the top, clip space from below.
        zoom = np.diag([width, height, 1.0, 1.0])
        zoom[0, 3] = width - 2 * x - 1
        zoom[1, 3] = 2 * y + 1 - height
        return replace(self, clip_from_world=zoom @ self.clip_from_world, size=(1, 1))

    def ray(self, x: float, y: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Origin and direction, world space, each (3,), through the center of a pixel."""
        world_from_clip = transforms.inverse(self.clip_from_world)
        return frustum.through_pixel(world_from_clip, x + 0.5, y + 0.5, *self.size)

    def block(self) -> bytes:
        """The bytes of the ``Frame`` block (shaders/include/frame.glsl), std140, matrices row by row."""
        # Single precision has 24 bits: a model 1 unit wide at 1e5 needs numbers from a point near it. The
        # point has single precision itself, so that the subtraction in the shaders is exact.
        origin = np.append(np.asarray(self.origin, np.float32), np.float32(0)).astype(np.float64)
        to_world = np.eye(4)
        to_world[:3, 3] = origin[:3]
        # A direction has 0 there and is not moved.
        eye = self.eye - origin * self.eye[3]
        *normal, distance = self.section or EVERYTHING
        # In std140 a vec2 before a vec4 is padded to 16 bytes.
        # 64 + 64 + 16 + 16 + 16 + 16 = FRAME_BYTES. The block is declared row_major, so matrices are written
        # as numpy has them.
        parts = (
            *(self.clip_from_world @ to_world, self.view_from_world, eye, origin, (*self.size, 0, 0)),
            (*normal, distance + np.dot(normal, origin[:3])),
        )
        return b"".join(np.asarray(part, np.float32).tobytes() for part in parts)


class FrameBlock:
    """The uniform buffer behind the ``Frame`` block; owner: the renderer, lifetime: its context."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._buffer: moderngl.Buffer = ctx.buffer(reserve=FRAME_BYTES, dynamic=True)
        self._written: Projection | None = None

    def write(self, projection: Projection) -> None:
        """Write a projection to the buffer that all shaders read, unless it is there."""
        if projection is not self._written:
            self._written = projection
            self._buffer.write(projection.block())
        self._buffer.bind_to_uniform_block(FRAME_BINDING)


_CLIP_DISTANCE: Final = 0x3000
"""GL_CLIP_DISTANCE0, which moderngl has no name for."""


@contextmanager
def cut(ctx: moderngl.Context, projection: Projection | None) -> Iterator[None]:
    """Cut what is drawn meanwhile along the section plane of a projection, if it has one.

    The programs must write the distance (shaders/include/section.glsl): without it all may vanish.
    """
    is_cut = projection is not None and projection.section is not None
    if is_cut:
        ctx.enable_direct(_CLIP_DISTANCE)
    try:
        yield
    finally:
        if is_cut:
            ctx.disable_direct(_CLIP_DISTANCE)
