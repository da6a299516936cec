"""Surfaces: backdrop, plain colors, edges; and materials, solid ones first, then blended ones from the back.

Source: spec/field-notes.md 4.
"""

from __future__ import annotations

from functools import cached_property
from itertools import groupby
from typing import Final, cast

import moderngl
import numpy as np
import numpy.typing as npt

from viewer.model.material.materials import Blend
from viewer.model.mesh.draws import Indices, Mask, expand
from viewer.render.buffers.draw_list import DrawList
from viewer.render.buffers.model_buffers import ModelBuffers
from viewer.render.buffers.upload import MeshBuffers, Submission
from viewer.render.passes.base import (
    EDGES,
    OVER,
    WIRE,
    Factors,
    FrameScene,
    Pass,
    set_material_state,
    set_state,
)
from viewer.render.portions import Portions
from viewer.render.programs import BASE_UNIT, LAYER_UNIT, LIGHTMAP_UNIT, Programs
from viewer.render.textures.material_bindings import NO_LAYER, MaterialBindings
from viewer.render.textures.texture_store import TextureSamplers
from viewer.session.view.coloring import GROUPED
from viewer.session.view.lighting import Lighting, Look
from viewer.session.view.view_state import Background, Overlay, Shading, ViewState

MODES: Final = (
    Shading.TEXTURED,
    Shading.ALBEDO,
    Shading.LIGHTMAP,
    Shading.ALPHA,
    Shading.UV_CHECKER,
    Shading.STREAM18,
)
"""Ways of filling a triangle, in the order of the constants in shaders/include/coverage.glsl."""
NO_MATERIALS: Final = -1
"""The shading of that file for triangles without holes."""
MOST_LIGHTS: Final = 3
"""Lights that the shader adds up."""
WORLD: Final = np.eye(3)
Run = tuple[int, int, int]
"""Row of the material, first triangle and triangle count of a call."""

# Alpha is the coverage of the image: factors that darken the color must leave that as it is.
FACTORS: Final[dict[Blend, Factors]] = {
    Blend.ADD: (moderngl.SRC_ALPHA, moderngl.ONE, moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA),
    Blend.MULTIPLY: (moderngl.ZERO, moderngl.SRC_COLOR, moderngl.ZERO, moderngl.ONE),
    Blend.ALPHA: OVER,
    Blend.MULTIPLY2: (moderngl.DST_COLOR, moderngl.SRC_COLOR, moderngl.ZERO, moderngl.ONE),
}


def is_textured(view: ViewState, bindings: MaterialBindings) -> bool:
    """Whether a frame shows materials; a model without any is lit instead of textured."""
    return view.shading in MODES and (bindings.is_known or view.shading is not Shading.TEXTURED)


class TexturedPass(Pass):
    """Filled triangles with their materials, or with one component of a material."""

    stages = ("textured", "textured")

    def __init__(self, ctx: moderngl.Context, programs: Programs, subject: ModelBuffers) -> None:
        super().__init__(ctx, programs)
        self._mesh = subject.mesh
        self._bound: dict[int, moderngl.Texture] = {}
        self._scalars: tuple[float, ...] = ()
        self._textures: list[tuple[moderngl.Texture, moderngl.Texture]] = []
        self._samplers = TextureSamplers(ctx)
        self._lightmap_samplers = TextureSamplers(ctx, repeats=False, has_levels=False)
        self._listed: DrawList | None = None
        self._runs: list[list[tuple[int, int]]] = []

    # Uniforms that change with each call are looked up once: by name that takes as long as the call.
    @cached_property
    def _row(self) -> moderngl.Uniform:
        return cast(moderngl.Uniform, self._program["material_row"])

    @cached_property
    def _absence(self) -> moderngl.Uniform:
        return cast(moderngl.Uniform, self._program["absence"])

    @cached_property
    def _layer(self) -> moderngl.Uniform:
        return cast(moderngl.Uniform, self._program["layer_row"])

    @cached_property
    def _solid(self) -> BlendedDraws:
        return BlendedDraws(self._mesh, self._program)

    @cached_property
    def _see_through(self) -> BlendedDraws:
        return BlendedDraws(self._mesh, self._program)

    def draw(self, scene: FrameScene) -> None:
        """Fill the visible triangles."""
        if (
            not is_textured(scene.view, scene.subject.bindings)
            or not scene.subject.shown.draws.triangle_count
        ):
            return
        bindings, view = scene.subject.bindings, scene.view
        bindings.use(view.textures)
        bindings.bind_parameters()
        self._program["shading"] = MODES.index(view.shading)
        set_lights(self._program, view.lighting, scene.projection.towards_eye)
        # Other passes and models have used the program and the units since.
        self._bound.clear()
        self._scalars = ()
        self._textures = bindings.textures()
        self._samplers.use(view.textures, BASE_UNIT, LAYER_UNIT)
        self._lightmap_samplers.use(view.textures, LIGHTMAP_UNIT)
        self._draw_layers(scene)
        self._samplers.clear(BASE_UNIT, LAYER_UNIT)
        self._lightmap_samplers.clear(LIGHTMAP_UNIT)

    def _draw_layers(self, scene: FrameScene) -> None:
        """Draw what is solid, then what is blended but writes depth, and the see-through layer last."""
        bindings = scene.subject.bindings
        if scene.view.shading is not Shading.TEXTURED:
            self._draw_unsorted(scene, np.ones(len(bindings.rows), np.bool_))
            return
        is_sorted, is_see_through = bindings.layers
        self._draw_unsorted(scene, ~is_sorted)
        self._draw_sorted(scene, self._solid, is_sorted & ~is_see_through, writes_depth=True)
        self._draw_sorted(scene, self._see_through, is_see_through, writes_depth=False)

    def _draw_unsorted(self, scene: FrameScene, rows: Mask) -> None:
        """Draw some rows of the materials without blending, one after the other."""
        shown, bindings = scene.subject.shown, scene.subject.bindings
        # The list is replaced when other draws are visible: the same list means the same runs.
        if shown.draws is not self._listed:
            self._listed = shown.draws
            self._runs = shown.draws.runs_of(bindings.draw_start)
        array = shown.array(self._program)
        self._set_state(scene, Blend.OPAQUE, writes_depth=True)
        for row, runs in enumerate(self._runs):
            if not runs or not rows[row]:
                continue
            self._bind(scene, row)
            for run in runs:
                for start, count in scene.portions.pieces(*run):
                    array.render(vertices=count * 3, first=start * 3)

    def _draw_sorted(
        self, scene: FrameScene, sorter: BlendedDraws, rows: Mask, *, writes_depth: bool
    ) -> None:
        """Draw some rows of the materials from back to front."""
        subject = scene.subject
        shown = subject.shown.draws
        draws = np.flatnonzero(shown.visible & rows[subject.merged.row])
        if not len(draws):
            return
        sorter.sort(draws, subject.depth(scene.projection, draws))
        for row, *run in sorter.runs:
            self._set_state(scene, subject.bindings.blend(row), writes_depth=writes_depth)
            self._bind(scene, row)
            for start, count in scene.portions.pieces(*run):
                sorter.array.render(vertices=count * 3, first=start * 3)

    def _bind(self, scene: FrameScene, row: int) -> None:
        """Bind a row of the materials; what the row before has as well is left."""
        self._row.value = row
        bindings = scene.subject.bindings
        is_fading = bindings.is_fading and not scene.is_image
        second = bindings.rows[row].second_layer
        scalars = 1.0 - bindings.presence(row) if is_fading else 0.0, NO_LAYER if second is None else second
        if scalars != self._scalars:
            self._scalars = scalars
            self._absence.value, self._layer.value = scalars
        base, lightmap = self._textures[row]
        layer = bindings.no_layer if second is None else self._textures[second][0]
        for unit, texture in ((BASE_UNIT, base), (LAYER_UNIT, layer), (LIGHTMAP_UNIT, lightmap)):
            if self._bound.get(unit) is not texture:
                self._bound[unit] = texture
                texture.use(unit)

    def _set_state(self, scene: FrameScene, blend: Blend, *, writes_depth: bool) -> None:
        set_material_state(
            self._ctx,
            scene.framebuffer,
            factors=FACTORS.get(blend),
            writes_depth=writes_depth,
            culls_back_faces=scene.view.textures.hides_back_faces,
            depth_offset=float(scene.shows(Overlay.EDGES)),
        )


def set_lights(
    program: moderngl.Program,
    lighting: Lighting,
    towards_eye: npt.NDArray[np.float64],
    space: npt.NDArray[np.float64] = WORLD,
) -> None:
    """Set the look, its scene color and its lights.

    Parameters
    ----------
    towards_eye
        Direction from the scene towards the camera, a unit vector in the space of the shader, (3,).
    space
        Turns directions in world space into those of the shader, (3, 3).
    """
    x, y, z = (towards_eye @ space).tolist()
    lights = lighting.lights((x, y, z))
    towards, colors = np.zeros((2, MOST_LIGHTS, 3), np.float32)
    for number, light in enumerate(lights):
        towards[number], colors[number] = space @ np.array(light.towards), light.color
    program["has_game_look"] = lighting.look is Look.GAME
    program["scene"] = lighting.scene
    program["towards_lights"].write(towards)  # type: ignore[union-attr] # a uniform, not an attribute
    program["light_colors"].write(colors)  # type: ignore[union-attr]


class BlendedDraws:
    """An index buffer of blended draws from back to front, rewritten only if the order changes.

    Owner: a pass, lifetime: one model.

    Attributes
    ----------
    runs
        The calls to make, in order.
    """

    def __init__(self, mesh: MeshBuffers, program: moderngl.Program) -> None:
        self._mesh = mesh
        self._program = program
        self._order: Indices = np.zeros(0, np.int64)
        self._buffer: moderngl.Buffer | None = None
        self.array: moderngl.VertexArray
        self.runs: list[Run] = []

    def sort(self, draws: Indices, depth: np.ndarray[tuple[int], np.dtype[np.floating]]) -> None:
        """Set the merged draws (k,) and their distances from the eye; the farthest is drawn first."""
        # Stable: draws at the same depth, such as decals on a wall, keep their order, so nothing flickers.
        order = draws[np.argsort(-depth, kind="stable")]
        if np.array_equal(order, self._order):
            return
        self._order = order
        merged = self._mesh.merged
        count = np.diff(merged.triangle_start)[order]
        self._write(merged.corners[expand(merged.triangle_start[order], count)])
        self.runs = _runs(merged.row[order], count)

    def _write(self, corners: np.ndarray[tuple[int, int], np.dtype[np.uint32]]) -> None:
        if self._buffer is None or self._buffer.size < corners.nbytes:
            if self._buffer is not None:
                del self.array  # released before its index buffer: the other order crashes moderngl
            self._buffer = self._mesh.ctx.buffer(corners, dynamic=True)
            self.array = self._mesh.vertex_array(self._program, self._buffer)
        else:
            self._buffer.write(corners)


def _runs(row: Indices, count: Indices) -> list[Run]:
    """Adjacent draws of the same row, joined into one call each."""
    runs: list[Run] = []
    start = 0
    for key, group in groupby(zip(row.tolist(), count.tolist(), strict=True), key=lambda pair: pair[0]):
        total = sum(pair[1] for pair in group)
        runs.append((key, start, total))
        start += total
    return runs


class Coverage:
    """Draws with a fragment stage that discards holes; owner: the renderer, lifetime: its context.

    Parameters
    ----------
    fragment
        The name of the fragment stage.
    """

    def __init__(self, ctx: moderngl.Context, programs: Programs, fragment: str) -> None:
        self._ctx = ctx
        self._samplers = TextureSamplers(ctx)
        self._programs = programs
        self._fragment = fragment

    @cached_property
    def program(self) -> moderngl.Program:
        """The linked program, for the uniforms of the stage."""
        return self._programs.get("covered", self._fragment)

    def render(
        self, submission: Submission, bindings: MaterialBindings, view: ViewState, portions: Portions
    ) -> None:
        """Draw the triangles with the current state; only culling is set, if materials are shown."""
        if is_textured(view, bindings):
            self._render_materials(submission, bindings, view, portions)
        else:
            self.program["shading"] = NO_MATERIALS
            submission.render(self.program, portions)

    def _render_materials(
        self, submission: Submission, bindings: MaterialBindings, view: ViewState, portions: Portions
    ) -> None:
        bindings.use(view.textures)
        bindings.bind_parameters()
        self.program["shading"] = MODES.index(view.shading)
        self._samplers.use(view.textures, BASE_UNIT)
        self._ctx.cull_face = "back"
        if view.textures.hides_back_faces:
            self._ctx.enable(moderngl.CULL_FACE)
        # A call begins at each row with an alpha test, and at the first of several rows without one.
        kinds = groupby(range(len(bindings.rows)), lambda row: row if bindings.is_tested(row) else None)
        rows = [next(members) for _, members in kinds]
        borders = bindings.draw_start[[*rows, -1]]
        for row, runs in zip(rows, submission.draws.runs_of(borders), strict=True):
            if runs:
                self.program["material_row"] = row
                bindings.textures()[row][0].use(BASE_UNIT)
                submission.render_runs(self.program, runs, portions)
        self._ctx.disable(moderngl.CULL_FACE)
        self._samplers.clear(BASE_UNIT)


SURFACE_MODES: Final = (Shading.LIT, Shading.UNLIT, Shading.NORMALS)
"""Ways of filling a triangle, in the order of the constants in shaders/surface.frag."""
BY_GROUP: Final = len(SURFACE_MODES)
"""The constant of all shading modes with a color per group."""
CHECK: Final = 12.0
"""Side of a square of the checkerboard, pixels."""


class BackdropPass(Pass):
    """A checkerboard for a transparent background; plain backgrounds are cleared, not drawn."""

    stages = ("backdrop", "backdrop")

    def draw(self, scene: FrameScene) -> None:
        """Draw the checkerboard on screen; an image file stays transparent."""
        if scene.is_image or scene.view.background is not Background.TRANSPARENT:
            return
        set_state(self._ctx, scene.framebuffer, tests_depth=False, writes_depth=False)
        self._program["check_size"] = CHECK * scene.pixel_scale
        if scene.portions.is_due():
            self._no_inputs.render(moderngl.TRIANGLES, vertices=3)


class SurfacePass(Pass):
    """Filled triangles in one of the shading modes."""

    stages = ("surface", "surface")

    def draw(self, scene: FrameScene) -> None:
        """Fill visible triangles, unless the view shows only edges or shows materials."""
        shading = scene.view.shading
        if is_textured(scene.view, scene.subject.bindings) or shading is Shading.WIREFRAME:
            return
        set_state(self._ctx, scene.framebuffer, depth_offset=float(scene.shows(Overlay.EDGES)))
        if shading in GROUPED:
            self._program["shading"] = BY_GROUP
            scene.subject.show_groups(scene.view)
        else:
            # "Textured" of a model without materials is lit.
            self._program["shading"] = SURFACE_MODES.index(
                Shading.LIT if shading is Shading.TEXTURED else shading
            )
        scene.subject.shown.render(self._program, scene.portions)


class EdgePass(Pass):
    """Edges of all visible triangles: over the surface, or alone."""

    stages = ("plain", "plain")

    def draw(self, scene: FrameScene) -> None:
        """Draw the edges if the view shows them."""
        is_alone = scene.view.shading is Shading.WIREFRAME
        if not is_alone and not scene.shows(Overlay.EDGES):
            return
        set_state(self._ctx, scene.framebuffer, writes_depth=False, is_blended=True, is_wire=True)
        self._program["tint"] = WIRE[scene.view.background] if is_alone else EDGES
        scene.subject.shown.render(self._program, scene.portions)
