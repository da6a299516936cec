"""The preview of one material on a ball and a quad, with the light and the shaders of the models."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import cos, sin
from typing import Final

import moderngl
import numpy as np
import numpy.typing as npt

from viewer.formats.texture.pixels import Image
from viewer.geometry.transforms import Doubles
from viewer.model.material.materials import Blend, Material, Materials
from viewer.render.buffers.merge import MergedDraws
from viewer.render.buffers.upload import MeshBuffers, NodeMatrices
from viewer.render.look_renderer import LookRenderer
from viewer.render.passes.base import backdrop, set_material_state, set_state
from viewer.render.passes.material_steps import GROUND_ROWS
from viewer.render.passes.textured import CHECK, FACTORS, MODES, set_lights
from viewer.render.programs import BASE_UNIT, LIGHTMAP_UNIT, Projection
from viewer.render.targets import free_dropped
from viewer.render.textures.material_bindings import NO_ROW, MaterialBindings
from viewer.render.textures.texture_store import TextureSamplers
from viewer.session.view.camera import Size
from viewer.session.view.coloring import MaterialLook
from viewer.session.view.options.background import Background
from viewer.session.view.options.shading import Shading

CAPACITY: Final = 32 * 1024 * 1024
"""Budget of the textures, bytes."""
BALL, QUAD = 0, 1
"""The nodes and the draws."""
RINGS, SECTORS = 32, 64
"""Parts of the ball from pole to pole, and around."""
TURNS: Final = 2
"""Repetitions of the texture around the ball, so that it is not stretched."""
APART: Final = 1.12
"""Distance of the centers of ball and quad from the middle of the image; the ball has a radius of 1."""
MARGIN: Final = 0.1
TOWARDS_EYE: Final = np.array([0.0, 0.0, 1.0])
TIPPED: Final = 0.5
"""Angle by which the world is tipped towards the eye, radians, as a model in the game's constructor: of its
lights none reaches a front that is upright."""
# Seen from +Y with Z up, the right-hand side is -X. So without the tip x is -X, y is Z and z is Y, and the
# tip then turns about x.
FROM_WORLD: Final = np.array(
    [[-1.0, 0.0, 0.0], [0.0, -sin(TIPPED), cos(TIPPED)], [0.0, cos(TIPPED), sin(TIPPED)]]
)
"""Directions of the world in the space of the shapes, which are seen from the front of the world, +Y."""
DEPTH: Final = 8.0
"""Half the depth of the image, so that the ball fits in any position."""
# The ball is drawn by the shaders of models, so its values are stored as theirs: spec/msh.md 4. Coordinates
# from -0.5 to 1.5 become -512 to 1536.
UV_STEPS: Final = 1024
NORMAL_STEPS: Final = 127
_Shape = tuple[Doubles, Doubles, Doubles, npt.NDArray[np.int64]]
"""Positions (v, 3), normals (v, 3), texture coordinates (v, 2), corners (t, 3)."""


class MaterialPreview(LookRenderer[MaterialLook]):
    """Draws one material at a time; owner: the app, lifetime: its context. Main thread only."""

    def __init__(self, ctx: moderngl.Context) -> None:
        super().__init__(ctx, CAPACITY)
        self._samplers = {BALL: TextureSamplers(ctx), QUAD: TextureSamplers(ctx, repeats=False)}
        self._lightmap_samplers = TextureSamplers(ctx, repeats=False, has_levels=False)
        self._material: Material | None = None

    @cached_property
    def _mesh(self) -> MeshBuffers:
        return MeshBuffers(self.ctx, shapes())

    @cached_property
    def _matrices(self) -> NodeMatrices:
        return NodeMatrices(self.ctx, 2)

    @cached_property
    def _program(self) -> moderngl.Program:
        return self._programs.get("textured", "textured")

    @cached_property
    def _array(self) -> moderngl.VertexArray:
        return self._mesh.vertex_array(self._program, self._mesh.index_buffer)

    @cached_property
    def _board(self) -> moderngl.VertexArray:
        return self.ctx.vertex_array(self._programs.get("backdrop", "backdrop"), [])

    def load(self, look: MaterialLook) -> None:
        """Use the material of a look."""
        if look.material is not self._material:
            self._material = look.material
            rows = np.zeros(2, np.int64)
            self._bind(Materials((look.material,), rows, rows), rows)

    def draw(self, look: MaterialLook) -> int:
        """Draw a look and return the GL name of its image, lowest row first."""
        self.load(look)
        bindings = self._bindings
        if bindings is None:
            return 0
        bindings.take([look.state])
        bindings.use(look.view.textures)
        bindings.draw_as(look.view.lighting.look)
        self._target.resize(look.size, look.view.samples)
        self._block.write(_projection(look.size))
        self._matrices.write(matrices(look))
        self._clear(look, is_see_through=bindings.blend(0) is not Blend.OPAQUE)
        self._draw_shapes(look, bindings)
        self._target.resolve()
        free_dropped(self.ctx)
        return int(self._target.texture.glo)

    def image(self, look: MaterialLook) -> Image:
        """The pixels of a look, (h, w, 4), top row first."""
        self.draw(look)
        return self._target.pixels()

    def _clear(self, look: MaterialLook, *, is_see_through: bool) -> None:
        """Fill the background; behind a material that can be seen through with a checkerboard."""
        self._target.scene.use()
        self._target.scene.depth_mask = True
        self._target.scene.clear(*backdrop(look.view))
        if is_see_through or look.view.background is Background.TRANSPARENT:
            set_state(self.ctx, self._target.scene, tests_depth=False, writes_depth=False)
            self._programs.get("backdrop", "backdrop")["check_size"] = CHECK
            self._board.render(moderngl.TRIANGLES, vertices=3)

    def _draw_shapes(self, look: MaterialLook, bindings: MaterialBindings) -> None:
        program, (base, lightmap) = self._program, bindings.textures()[0]
        program["shading"] = MODES.index(Shading.TEXTURED)
        program["material_row"] = 0
        program["has_normals"] = True
        program["draw_opacity"] = 1.0
        for name in GROUND_ROWS:
            program[name] = NO_ROW
        set_lights(program, look.view.lighting, TOWARDS_EYE, FROM_WORLD)
        self._matrices.bind()
        bindings.bind_parameters()
        base.use(BASE_UNIT)
        lightmap.use(LIGHTMAP_UNIT)
        set_material_state(
            self.ctx,
            self._target.scene,
            factors=FACTORS.get(bindings.blend(0)),
            writes_depth=not bindings.is_see_through(0),
            culls_back_faces=True,
            depth_offset=0.0,
        )
        self._lightmap_samplers.use(look.view.textures, LIGHTMAP_UNIT)
        for shape, samplers in self._samplers.items():
            samplers.use(look.view.textures, BASE_UNIT)
            self._render(shape, shows_inside=bindings.is_tested(0))
            samplers.clear(BASE_UNIT)
        self._lightmap_samplers.clear(LIGHTMAP_UNIT)

    def _render(self, shape: int, *, shows_inside: bool) -> None:
        """Draw a shape, and before it the far side of its surface if that can be seen."""
        start, end = self._mesh.merged.triangle_start[shape : shape + 2].tolist()
        # Culling the front first draws the inside of the far half, which shows through the near one.
        for face in ("front", "back") if shows_inside else ("back",):
            self.ctx.cull_face = face
            self._array.render(vertices=(end - start) * 3, first=start * 3)


def matrices(look: MaterialLook) -> npt.NDArray[np.float32]:
    """World matrices of ball and quad, (2, 4, 4): side by side in a wide image, else one above the other."""
    world = np.tile(np.eye(4, dtype=np.float32), (2, 1, 1))
    axis = 0 if is_wide(look.size) else 1
    # The ball is on the left or at the top.
    world[(BALL, QUAD), axis, 3] = (-APART, APART) if axis == 0 else (APART, -APART)
    cy, sy, cp, sp = np.cos(look.yaw), np.sin(look.yaw), np.cos(look.pitch), np.sin(look.pitch)
    around = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    tilted = np.array([[1, 0, 0], [0, cp, -sp], [0, sp, cp]])
    world[BALL, :3, :3] = tilted @ around
    return world


def is_wide(size: Size) -> bool:
    """Whether the two shapes lie side by side."""
    return size[0] >= size[1]


def _projection(size: Size) -> Projection:
    """A parallel projection along z that shows both shapes; x is to the right and y up."""
    least = np.array([APART + 1, 1.0]) + MARGIN
    if not is_wide(size):
        least = least[::-1]
    width, height = max(size[0], 1), max(size[1], 1)
    scale = max(least[0] / width, least[1] / height)
    # Clip space looks along +z, the shapes face +z: the sign of z is turned.
    clip = np.diag([1 / (scale * width), 1 / (scale * height), -1 / DEPTH, 1.0])
    return Projection(np.eye(4), clip, np.array([0.0, 0.0, 1.0, 0.0]), (width, height))


def shapes() -> MergedDraws:
    """The ball of radius 1 and the quad of side 2, both facing z, y up."""
    parts = (_ball(), _quad())
    start = np.cumsum([0, *(len(positions) for positions, _, _, _ in parts)])
    faces = np.cumsum([0, *(len(corners) for _, _, _, corners in parts)])
    positions, normals, uvs = (np.concatenate([part[index] for part in parts]) for index in range(3))
    corners = np.concatenate([part[3] + first for part, first in zip(parts, start, strict=False)])
    stored = np.zeros((len(positions), 4), np.int8)
    stored[:, :3] = np.rint(normals * NORMAL_STEPS)
    return MergedDraws(
        positions=positions.astype(np.float32),
        normals=stored,
        uvs=np.rint(uvs * UV_STEPS).astype(np.int16),
        # Unsigned words hold 0 to 64 textures: coordinates below 0 are moved up by whole turns.
        lightmap_uvs=np.rint(uvs % TURNS * UV_STEPS).astype(np.uint16),
        second_alphas=None,
        node=np.repeat([BALL, QUAD], np.diff(start)).astype(np.uint32),
        vertex=np.arange(len(positions), dtype=np.int32),
        corners=corners.astype(np.uint32),
        draw=np.arange(2),
        row=np.zeros(2, np.int64),
        triangle_start=faces.astype(np.int64),
        vertex_start=start.astype(np.int64),
        box_low=np.full((2, 3), -1, np.float32),
        box_high=np.full((2, 3), 1, np.float32),
    )


def _ball() -> _Shape:
    ring, sector = (it.ravel() for it in np.indices((RINGS + 1, SECTORS + 1)))
    down, around = np.pi * ring / RINGS, 2 * np.pi * sector / SECTORS
    points = np.stack((-np.sin(down) * np.sin(around), np.cos(down), -np.sin(down) * np.cos(around)), axis=1)
    uvs = np.stack((TURNS * sector / SECTORS - 0.5, ring / RINGS), axis=1)
    # One vertex more than sectors per ring: the seam has two, with texture coordinates that differ by TURNS.
    first = np.add.outer(np.arange(RINGS) * (SECTORS + 1), np.arange(SECTORS)).ravel()
    below = first + SECTORS + 1
    corners = np.stack((first, below, first + 1, first + 1, below, below + 1), axis=1).reshape(-1, 3)
    return points, points, uvs, corners


def _quad() -> _Shape:
    xs: Sequence[tuple[int, int]] = ((-1, 1), (1, 1), (1, -1), (-1, -1))
    points = np.array([(x, y, 0) for x, y in xs], np.float64)
    normals = np.tile([0.0, 0.0, 1.0], (4, 1))
    uvs = np.array([((x + 1) / 2, (1 - y) / 2) for x, y in xs])
    return points, normals, uvs, np.array([(0, 2, 1), (0, 3, 2)])
