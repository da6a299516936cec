"""The model with its materials: solid ones, then blended ones from back to front, those see-through last.

Source: spec/field-notes.md 4.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final, cast

import moderngl
import numpy as np

from viewer.model.material.materials import Blend
from viewer.render.buffers.blended import BlendedDraws
from viewer.render.buffers.draw_list import DrawList, Mask
from viewer.render.buffers.model_buffers import ModelBuffers
from viewer.render.passes.lights import set_lights
from viewer.render.passes.state import OVER, Factors, set_material_state
from viewer.render.programs import Programs
from viewer.render.scene import Scene
from viewer.render.textures.material_bindings import (
    BASE_UNIT,
    LAYER_UNIT,
    LIGHTMAP_UNIT,
    MATERIAL_UNIT,
    MaterialBindings,
)
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


class TexturedPass:
    """Filled triangles with their materials, or with one component of a material."""

    def __init__(self, ctx: moderngl.Context, programs: Programs, subject: ModelBuffers) -> None:
        self._ctx = ctx
        self._programs = programs
        self._mesh = subject.mesh
        self._lightmap: moderngl.Texture | None = None
        self._samplers = Samplers(ctx)
        self._lightmap_samplers = Samplers(ctx, repeats=False, has_levels=False)
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
    def _layer(self) -> moderngl.Uniform:
        return cast(moderngl.Uniform, self._program["layer_row"])

    @cached_property
    def _solid(self) -> BlendedDraws:
        return BlendedDraws(self._mesh, self._program)

    @cached_property
    def _see_through(self) -> BlendedDraws:
        return BlendedDraws(self._mesh, self._program)

    def draw(self, scene: Scene) -> None:
        """Fill the visible triangles."""
        if (
            not is_textured(scene.view, scene.subject.bindings)
            or not scene.subject.shown.draws.triangle_count
        ):
            return
        bindings, view = scene.subject.bindings, scene.view
        bindings.use(view.textures)
        bindings.bind_parameters()
        self._set_uniforms(view.shading)
        set_lights(self._program, view.lighting, scene.projection.towards_eye)
        self._lightmap = None
        self._samplers.use(view.textures, BASE_UNIT, LAYER_UNIT)
        self._lightmap_samplers.use(view.textures, LIGHTMAP_UNIT)
        self._draw_layers(scene)
        self._samplers.clear(BASE_UNIT, LAYER_UNIT)
        self._lightmap_samplers.clear(LIGHTMAP_UNIT)

    def _set_uniforms(self, shading: Shading) -> None:
        self._program["shading"] = MODES.index(shading)
        self._program["material_rows"] = MATERIAL_UNIT
        self._program["base_map"] = BASE_UNIT
        self._program["light_map"] = LIGHTMAP_UNIT
        self._program["layer_map"] = LAYER_UNIT

    def _draw_layers(self, scene: Scene) -> None:
        """Draw what is solid, then what is blended but writes depth, and the see-through layer last."""
        bindings = scene.subject.bindings
        if scene.view.shading is not Shading.TEXTURED:
            self._draw_unsorted(scene, np.ones(len(bindings.rows), np.bool_))
            return
        is_sorted, is_see_through = bindings.layers
        self._draw_unsorted(scene, ~is_sorted)
        self._draw_sorted(scene, self._solid, is_sorted & ~is_see_through, writes_depth=True)
        self._draw_sorted(scene, self._see_through, is_see_through, writes_depth=False)

    def _draw_unsorted(self, scene: Scene, rows: Mask) -> None:
        """Draw some rows of the materials without blending, one after the other."""
        shown, bindings = scene.subject.shown, scene.subject.bindings
        if shown.draws is not self._listed:
            self._listed = shown.draws
            self._runs = shown.draws.runs_of(bindings.draw_start)
        array = shown.array(self._program)
        self._set_state(scene, Blend.OPAQUE, writes_depth=True)
        for row, runs in enumerate(self._runs):
            if not runs or not rows[row]:
                continue
            self._bind(scene, row)
            for start, count in runs:
                array.render(vertices=count * 3, first=start * 3)

    def _draw_sorted(self, scene: Scene, sorter: BlendedDraws, rows: Mask, *, writes_depth: bool) -> None:
        """Draw some rows of the materials from back to front."""
        subject = scene.subject
        shown = subject.shown.draws
        draws = np.flatnonzero(shown.visible & rows[subject.merged.row])
        if not len(draws):
            return
        sorter.sort(draws, subject.depth(scene.projection, draws), shown.draw_counts[draws])
        for row, start, count in sorter.runs:
            self._set_state(scene, subject.bindings.blend(row), writes_depth=writes_depth)
            self._bind(scene, row)
            if sorter.array is not None:
                sorter.array.render(vertices=count * 3, first=start * 3)

    def _bind(self, scene: Scene, row: int) -> None:
        """Bind a row of the materials."""
        self._row.value = row
        self._absence.value = 0.0 if scene.is_image else 1.0 - scene.subject.bindings.presence(row)
        base, lightmap = scene.subject.bindings.textures()[row]
        base.use(BASE_UNIT)
        self._layer.value, layer = scene.subject.bindings.layer(row)
        layer.use(LAYER_UNIT)
        if lightmap is not self._lightmap:
            self._lightmap = lightmap
            lightmap.use(LIGHTMAP_UNIT)

    def _set_state(self, scene: Scene, blend: Blend, *, writes_depth: bool) -> None:
        set_material_state(
            self._ctx,
            scene.framebuffer,
            factors=FACTORS.get(blend),
            writes_depth=writes_depth,
            culls_back_faces=scene.view.textures.hides_back_faces,
            depth_offset=float(scene.shows(Overlay.EDGES)),
        )
