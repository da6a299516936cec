"""The background, the model itself, shaded, and its edges."""

from __future__ import annotations

from typing import Final

import moderngl

from viewer.render.buffers.upload import GROUP_UNIT
from viewer.render.passes.base import EDGES, WIRE, FrameScene, Pass, set_state
from viewer.render.passes.textured import is_textured
from viewer.session.view.coloring import GROUPED
from viewer.session.view.view_state import Background, Overlay, Shading

MODES: Final = (Shading.LIT, Shading.UNLIT, Shading.NORMALS)
"""Ways of filling a triangle, in the order of the constants in shaders/surface.frag."""
BY_GROUP: Final = len(MODES)
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
        # In all modes: samplers of different types must not share a unit, and unit 0 has the matrices.
        self._program["groups"] = GROUP_UNIT
        if shading in GROUPED:
            self._program["shading"] = BY_GROUP
            scene.subject.show_groups(scene.view)
        else:
            # "Textured" of a model without materials is lit.
            self._program["shading"] = MODES.index(Shading.LIT if shading is Shading.TEXTURED else shading)
        scene.subject.shown.render(self._program)


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
        scene.subject.shown.render(self._program)
