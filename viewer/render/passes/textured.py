"""The model with its materials: opaque ones first, then blended ones from back to front."""

from __future__ import annotations

from functools import cached_property
from typing import Final, cast

import moderngl
import numpy as np

from viewer.model.material.materials import Blend
from viewer.render.buffers.blended import BlendedDraws
from viewer.render.buffers.draw_list import DrawList
from viewer.render.buffers.model_buffers import ModelBuffers
from viewer.render.passes.state import OVER, Factors, set_material_state
from viewer.render.programs import Programs
from viewer.render.scene import Scene
from viewer.render.textures.material_bindings import BASE_UNIT, LIGHTMAP_UNIT, MATERIAL_UNIT, MaterialBindings
from viewer.render.textures.texture_store import Samplers
from viewer.session.view.view_state import Overlay, Shading, ViewState

MODES: Final = (
    Shading.TEXTURED,
    Shading.ALBEDO,
    Shading.LIGHTMAP,
    Shading.ALPHA,
    Shading.UV_CHECKER,
    Shading.STREAM18,
)
"""Ways of filling a triangle, in the order of the constants in shaders/include/coverage.glsl."""

FACTORS: Final[dict[Blend, Factors]] = {
    Blend.ADD: (moderngl.SRC_ALPHA, moderngl.ONE, moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA),
    Blend.MULTIPLY: (moderngl.ZERO, moderngl.SRC_COLOR, moderngl.ZERO, moderngl.ONE),
    Blend.ALPHA: OVER,
    Blend.MULTIPLY2: (moderngl.DST_COLOR, moderngl.SRC_COLOR, moderngl.ZERO, moderngl.ONE),
}


def is_textured(view: ViewState, bindings: MaterialBindings) -> bool:
    """Whether a frame shows materials; a model without any is lit instead of textured."""
    return view.shading in MODES and (bindings.is_known or view.shading is not Shading.TEXTURED)


def culls(view: ViewState, bindings: MaterialBindings, row: int) -> bool:
    """Whether back faces are culled in a row of the materials."""
    has_two_sides = bindings.rows[row].is_two_sided or bindings.is_cut_out(row)
    return view.textures.culls_back_faces and not has_two_sides


class TexturedPass:
    """Filled triangles with their materials, or with one component of a material."""

    def __init__(self, ctx: moderngl.Context, programs: Programs, subject: ModelBuffers) -> None:
        self._ctx = ctx
        self._programs = programs
        self._mesh = subject.mesh
        self._lightmap: moderngl.Texture | None = None
        self._samplers = Samplers(ctx)
        self._listed: DrawList | None = None
        self._runs: list[list[tuple[int, int]]] = []

    @cached_property
    def _program(self) -> moderngl.Program:
        return self._programs.get("textured", "textured")

    @cached_property
    def _row(self) -> moderngl.Uniform:
        return cast(moderngl.Uniform, self._program["material_row"])

    @cached_property
    def _absence(self) -> moderngl.Uniform:
        return cast(moderngl.Uniform, self._program["absence"])

    @cached_property
    def _blended(self) -> BlendedDraws:
        return BlendedDraws(self._mesh, self._program)

    def draw(self, scene: Scene) -> None:
        """Fill the visible triangles."""
        if (
            not is_textured(scene.view, scene.subject.bindings)
            or not scene.subject.shown.draws.triangle_count
        ):
            return
        bindings = scene.subject.bindings
        bindings.use(scene.view.textures)
        bindings.bind_parameters()
        self._set_uniforms(scene.view.shading)
        self._lightmap = None
        self._samplers.use(scene.view.textures, BASE_UNIT, LIGHTMAP_UNIT)
        is_mixed = scene.view.shading is Shading.TEXTURED
        blends = [bindings.blend(row) if is_mixed else Blend.OPAQUE for row in range(len(bindings.rows))]
        self._draw_opaque(scene, blends)
        self._draw_blended(scene, blends)
        self._samplers.clear(BASE_UNIT, LIGHTMAP_UNIT)

    def _set_uniforms(self, shading: Shading) -> None:
        self._program["shading"] = MODES.index(shading)
        self._program["material_rows"] = MATERIAL_UNIT
        self._program["base_map"] = BASE_UNIT
        self._program["light_map"] = LIGHTMAP_UNIT

    def _draw_opaque(self, scene: Scene, blends: list[Blend]) -> None:
        """Draw the opaque materials, one row at a time."""
        shown, bindings = scene.subject.shown, scene.subject.bindings
        if shown.draws is not self._listed:
            self._listed = shown.draws
            self._runs = shown.draws.runs_of(bindings.draw_start)
        array = shown.array(self._program)
        now: bool | None = None
        for row, runs in enumerate(self._runs):
            if not runs or blends[row] is not Blend.OPAQUE:
                continue
            if now is not (now := culls(scene.view, bindings, row)):
                self._set_state(scene, Blend.OPAQUE, is_culled=now)
            self._bind(scene, row)
            for start, count in runs:
                array.render(vertices=count * 3, first=start * 3)

    def _draw_blended(self, scene: Scene, blends: list[Blend]) -> None:
        """Draw the blended materials from back to front, without writing depth."""
        subject = scene.subject
        is_blended = np.array([blend is not Blend.OPAQUE for blend in blends])[subject.merged.row]
        shown = subject.shown.draws
        draws = np.flatnonzero(shown.visible & is_blended)
        if not len(draws):
            return
        self._blended.sort(draws, subject.depth(scene.projection, draws), shown.draw_counts[draws])
        for row, start, count in self._blended.runs:
            self._set_state(scene, blends[row], is_culled=culls(scene.view, subject.bindings, row))
            self._bind(scene, row)
            if self._blended.array is not None:
                self._blended.array.render(vertices=count * 3, first=start * 3)

    def _bind(self, scene: Scene, row: int) -> None:
        """Bind a row of the materials."""
        self._row.value = row
        self._absence.value = 0.0 if scene.is_image else 1.0 - scene.subject.bindings.presence(row)
        base, lightmap = scene.subject.bindings.textures()[row]
        base.use(BASE_UNIT)
        if lightmap is not self._lightmap:
            self._lightmap = lightmap
            lightmap.use(LIGHTMAP_UNIT)

    def _set_state(self, scene: Scene, blend: Blend, *, is_culled: bool) -> None:
        set_material_state(
            self._ctx,
            scene.framebuffer,
            factors=FACTORS.get(blend),
            culls_back_faces=is_culled,
            depth_offset=float(scene.shows(Overlay.EDGES)),
        )
