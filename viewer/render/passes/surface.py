"""The model itself, shaded, and its edges."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import moderngl

from viewer.render.buffers.group_numbers import GROUP_UNIT
from viewer.render.passes.colors import EDGES, WIRE
from viewer.render.passes.state import set_state
from viewer.render.passes.textured import is_textured
from viewer.render.programs import Programs
from viewer.render.scene import Scene
from viewer.session.view.coloring import GROUPED
from viewer.session.view.view_state import Overlay, Shading

MODES: Final = (Shading.LIT, Shading.UNLIT, Shading.NORMALS)
"""Ways of filling a triangle, in the order of the constants in shaders/surface.frag."""
BY_GROUP: Final = len(MODES)
"""The constant of all shading modes with a color per group."""


class SurfacePass:
    """Filled triangles in one of the shading modes."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx = ctx
        self._programs = programs

    @cached_property
    def _program(self) -> moderngl.Program:
        program = self._programs.get("surface", "surface")
        program["groups"] = GROUP_UNIT
        return program

    def draw(self, scene: Scene) -> None:
        """Fill visible triangles, unless the view shows only edges or shows materials."""
        shading = scene.view.shading
        if is_textured(scene.view, scene.subject.bindings) or shading is Shading.WIREFRAME:
            return
        set_state(self._ctx, scene.framebuffer, depth_offset=float(scene.shows(Overlay.EDGES)))
        if shading in GROUPED:
            self._program["shading"] = BY_GROUP
            scene.subject.show_groups(scene.view)
        else:
            self._program["shading"] = MODES.index(Shading.LIT if shading is Shading.TEXTURED else shading)
        scene.subject.shown.render(self._program)


class EdgePass:
    """Edges of all visible triangles: over the surface, or alone."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx = ctx
        self._programs = programs

    @cached_property
    def _program(self) -> moderngl.Program:
        return self._programs.get("plain", "plain")

    def draw(self, scene: Scene) -> None:
        """Draw the edges if the view shows them."""
        is_alone = scene.view.shading is Shading.WIREFRAME
        if not is_alone and not scene.shows(Overlay.EDGES):
            return
        set_state(self._ctx, scene.framebuffer, writes_depth=False, is_blended=True, is_wire=True)
        self._program["tint"] = WIRE[scene.view.background] if is_alone else EDGES
        scene.subject.shown.render(self._program)
