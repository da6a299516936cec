"""Surfaces: backdrop, plain colors, edges; and materials, solid ones first, then blended ones from the back.

Source: spec/field-notes.md 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from itertools import chain, groupby, starmap
from typing import Final, cast

import moderngl
import numpy as np
import numpy.typing as npt
from moderngl import Uniform

from viewer.model.effects.moment import MOST_EFFECT_LIGHTS, OF_EVERYTHING, OF_OWNER, EffectLights
from viewer.model.material.light import hidden_color
from viewer.model.material.materials import Blend
from viewer.model.mesh.model import Variant
from viewer.model.sky.dome import Fog
from viewer.render.buffers.model_buffers import ModelBuffers
from viewer.render.buffers.upload import Submission
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
from viewer.render.passes.material_steps import (
    GROUND_ROWS,
    UNITS,
    BlendedDraws,
    MaterialStep,
    MaterialSteps,
    RowRun,
)
from viewer.render.passes.portals import opacities
from viewer.render.portions import Portions
from viewer.render.programs import BASE_UNIT, LIGHTMAP_UNIT, Programs
from viewer.render.textures.material_bindings import NO_ROW, MaterialBindings
from viewer.render.textures.texture_store import TextureSamplers
from viewer.session.view.coloring import GROUPED
from viewer.session.view.options.background import Background
from viewer.session.view.options.lighting import Lighting, Look
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading
from viewer.session.view.view_state import ViewState

MODES: Final = (
    Shading.TEXTURED,
    Shading.ALBEDO,
    Shading.LIGHTMAP,
    Shading.ALPHA,
    Shading.UV_CHECKER,
    Shading.STREAM18,
)
"""Ways of filling a triangle, in the order of the constants in shaders/include/coverage.glsl."""
BLENDED: Final = (Shading.TEXTURED, Shading.ALBEDO)
"""The shadings in which see-through surfaces are blended: the halo of a lamp would be a black disc."""
NO_MATERIALS: Final = -1
"""The shading of that file for triangles without holes."""
MOST_LIGHTS: Final = 4
"""Lights that the shaders add up besides those of effects; shaders/include/light.glsl relies on it."""
WORLD: Final = np.eye(3)
# Alpha is the coverage of the image: factors that darken the color must leave that as it is.
# The factors of Direct3D that the blend index of a material stands for (spec/field-notes.md 4.4). MULTIPLY2
# is source * image + image * source: a texel of mid grey leaves the image as it is.
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

    is_cut = True

    def __init__(self, ctx: moderngl.Context, programs: Programs, subject: ModelBuffers) -> None:
        super().__init__(ctx, programs)
        self._has_lightmaps = any(row.is_lightmapped for row in subject.bindings.rows)
        # Two, as what blends and still writes depth, such as leaves, comes before all that is see-through
        # (field-notes.md 4.4).
        self._sorted = BlendedDraws(subject.mesh), BlendedDraws(subject.mesh)
        self._unsorted = MaterialSteps()
        self._fog: Fog | None = None
        self._samplers = TextureSamplers(ctx)
        # Pages of lightmaps are mosaics of small patches with one level: smaller levels would mix neighbors,
        # and repeating would bring in the opposite edge (field-notes.md 4.1).
        self._lightmap_samplers = TextureSamplers(ctx, repeats=False, has_levels=False)

    def draw(self, scene: FrameScene) -> None:
        """Fill the visible triangles."""
        bindings, view = scene.subject.bindings, scene.view
        if not is_textured(view, bindings) or not scene.subject.shown.draws.triangle_count:
            return
        bindings.use(view.textures)
        bindings.bind_parameters()
        # A sampler overrides the texture's own filter. On GROUP_UNIT, which is SECOND_UNIT, a linear one
        # would make the integer texture of the group numbers incomplete, so all are unbound at the end.
        units = [unit for unit in UNITS if unit != LIGHTMAP_UNIT]
        x, y, z = scene.projection.towards_eye.tolist()
        self._fog = view.lighting.fog((x, y, z)) if view.shading is Shading.TEXTURED else None
        self._program = self._programs.get("textured", "textured", None, **self._fixed(scene))
        if self._fog is not None:
            set_fog(self._program, self._fog)
        set_lights(self._program, view.lighting, scene.projection.towards_eye)
        if len(scene.lights.block) and "effect_light_count" in self._program:
            set_effect_lights(self._program, scene.lights, OF_OWNER + OF_EVERYTHING)
        self._samplers.use(view.textures, *units)
        self._lightmap_samplers.use(view.textures, LIGHTMAP_UNIT)
        self._draw_layers(scene)
        self._samplers.clear(*units)
        self._lightmap_samplers.clear(LIGHTMAP_UNIT)

    def _fixed(self, scene: FrameScene) -> dict[str, float]:
        """The uniforms that are the same for all calls: as constants they leave parts of the shader out."""
        view, bindings = scene.view, scene.subject.bindings
        # Every combination is a program of its own, compiled when a view first needs it: only switches with
        # few values belong here.
        fixed: dict[str, float] = {
            "has_game_look": view.lighting.look is Look.GAME,
            "has_normals": scene.subject.model.normals_raw is not None,
            "shading": MODES.index(view.shading),
            "has_lightmaps": view.textures.has_lightmaps and self._has_lightmaps,
            "is_ground": scene.subject.model.variant is Variant.TERRAIN,
        }
        used = zip(*bindings.ground(), strict=True)
        unused = (name for name, rows in zip(GROUND_ROWS, used, strict=True) if set(rows) == {NO_ROW})
        fixed.update(dict.fromkeys(unused, NO_ROW))
        # What varies within a frame stays a uniform: shares of fading textures, and the opacity of each sign.
        if not self._is_fading(scene):
            fixed["absence"] = 0.0
        if not len(scene.lights.block):
            fixed["effect_light_count"] = 0
        if not view.drawn.has_fading_portals:
            fixed["draw_opacity"] = 1.0
        if self._fog is None:
            fixed["has_fog"] = False
        return fixed

    def _draw_layers(self, scene: FrameScene) -> None:
        """Draw what is solid, then what is blended but writes depth, and the see-through layer last."""
        subject, bindings = scene.subject, scene.subject.bindings
        listed, is_textured = subject.shown.draws, scene.view.shading in BLENDED
        is_fading = self._is_fading(scene)
        # Shading modes that show a component, such as alpha or coordinates, show it on see-through surfaces
        # as well.
        solid = bindings.layers[0] if is_textured else np.ones(len(bindings.rows), np.bool_)

        def runs() -> Iterator[RowRun]:
            found = listed.runs_of(bindings.draw_start)
            return ((row, 1.0, it) for row, it in enumerate(found) if it and solid[row])

        steps = self._unsorted.of(bindings, runs, (listed, is_textured), is_fading=is_fading)
        self._set_state(scene, Blend.OPAQUE, writes_depth=True)
        self._render(scene, subject.shown.array(self._program), steps, self._unsorted.triangle_count)
        if not is_textured:
            return
        # From per draw to per merged draw, in which the sorted draws are counted.
        opacity = opacities(scene)
        if opacity is not None:
            opacity = opacity[subject.merged.draw]
        for sorter, rows, writes_depth in zip(self._sorted, bindings.layers[1:], (True, False), strict=True):
            if sorter.choose(subject, scene.projection, rows, opacity):
                steps = sorter.steps.of(
                    bindings, partial(iter, sorter.runs), (sorter.runs,), is_fading=is_fading
                )
                count = sorter.steps.triangle_count
                array = sorter.array(self._program)
                self._render(scene, array, steps, count, writes_depth=writes_depth)

    @staticmethod
    def _is_fading(scene: FrameScene) -> bool:
        return scene.subject.bindings.is_fading and not scene.is_image

    def _render(
        self,
        scene: FrameScene,
        array: moderngl.VertexArray,
        steps: list[MaterialStep],
        triangle_count: int,
        *,
        writes_depth: bool | None = None,
    ) -> None:
        """Make the calls of some steps; they are blended only if `writes_depth` is given."""
        portions = scene.portions
        # Most models fit one portion: then no run has to be divided.
        is_whole = portions.fits(triangle_count)
        # Uniforms that change with each call are looked up once: by name that takes as long as the call.
        names = "material_row", "absence", "draw_opacity", *GROUND_ROWS
        row, absence, opacity, *others = (
            cast(Uniform | None, self._program.get(name, None)) for name in names
        )
        for step in steps:
            if row is not None:  # not read where only the shape is shown
                row.write(step.row)
            if absence is not None:
                absence.value = step.absence
            if opacity is not None:
                opacity.value = step.opacity
            for uniform, value in zip(others, step.ground, strict=True):
                if uniform is not None:
                    uniform.value = value
            for texture, unit in step.textures:
                texture.use(unit)
            if writes_depth is not None and step.blend is not None:
                self._set_state(scene, step.blend, writes_depth=writes_depth)
            calls = step.runs if is_whole else chain.from_iterable(starmap(portions.pieces, step.runs))
            for first, count in calls:
                array.render(vertices=count * 3, first=first * 3)

    def _set_state(self, scene: FrameScene, blend: Blend, *, writes_depth: bool) -> None:
        if self._fog is not None:
            self._program["fog_color"] = hidden_color(self._fog, blend)
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
    # Kept on the program, whose uniforms they are: passes that share a program set them once.
    made_for = lighting, (x, y, z), space is WORLD
    if program.extra == made_for:
        return
    program.extra = made_for
    lights = lighting.lights((x, y, z))
    towards, colors = np.zeros((2, MOST_LIGHTS, 3), np.float32)
    for number, light in enumerate(lights):
        towards[number], colors[number] = space @ np.array(light.towards), light.color
    for name, value in (
        ("has_game_look", np.int32(lighting.look is Look.GAME)),
        ("scene", np.array(lighting.scene_color, np.float32)),
        ("light_count", np.int32(len(lights))),
        ("towards_lights", towards),
        ("light_colors", colors),
    ):
        if name in program:  # a program of one look has not all of them
            program[name].write(value)  # type: ignore[union-attr] # a uniform, not an attribute


def set_fog(program: moderngl.Program, fog: Fog | None) -> None:
    """Set the fog of a program that may have it."""
    program["has_fog"] = fog is not None
    if fog is not None:
        # The share that a pixel keeps is linear in the square of the distance (spec/field-notes.md 4.3).
        program["fog_color"], program["fog_range"] = fog.color, (fog.start**2, fog.end**2)


def set_effect_lights(program: moderngl.Program, lights: EffectLights, kinds: tuple[int, ...]) -> None:
    """Set the lights of effects of some kinds, world space: the strongest if they are too many."""
    if not len(lights.block):
        program["effect_light_count"] = 0
        return
    # Reach times brightness: what is left out then shows least. The absolute value, as a stored color may be
    # negative and darkens then.
    strength = lights.range * np.abs(lights.color[:, :3]).max(axis=1, initial=0.0)
    chosen = np.argsort(-strength, kind="stable")
    chosen = chosen[np.isin(lights.kind[chosen], kinds)][:MOST_EFFECT_LIGHTS]
    program["effect_light_count"] = len(chosen)
    if not len(chosen):
        return
    places = np.column_stack([lights.position, lights.range])
    for name, values in (
        ("effect_lights", places),
        ("effect_colors", lights.color[:, :3]),
        ("effect_factors", lights.attenuation),
    ):
        # A uniform array is written whole; what lies behind the count is not read.
        rows = np.zeros((MOST_EFFECT_LIGHTS, values.shape[1]), np.float32)
        rows[: len(chosen)] = values[chosen]
        program[name].write(rows)  # type: ignore[union-attr] # a uniform, not an attribute


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
BY_HEAT: Final = BY_GROUP + 1
"""The constant of the mode whose groups are colored from cold to hot."""
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
    is_cut = True

    def draw(self, scene: FrameScene) -> None:
        """Fill visible triangles, unless the view shows only edges or shows materials."""
        shading = scene.view.shading
        if is_textured(scene.view, scene.subject.bindings) or shading is Shading.WIREFRAME:
            return
        set_state(self._ctx, scene.framebuffer, depth_offset=float(scene.shows(Overlay.EDGES)))
        if shading in GROUPED:
            self._program["shading"] = BY_HEAT if shading is Shading.NORMAL_ERROR else BY_GROUP
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
    is_cut = True

    def draw(self, scene: FrameScene) -> None:
        """Draw the edges if the view shows them."""
        is_alone = scene.view.shading is Shading.WIREFRAME
        if not is_alone and not scene.shows(Overlay.EDGES):
            return
        set_state(self._ctx, scene.framebuffer, writes_depth=False, is_blended=True, is_wire=True)
        self._program["tint"] = WIRE[scene.view.tone] if is_alone else EDGES
        scene.subject.shown.render(self._program, scene.portions)
