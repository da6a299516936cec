"""The background behind the model on screen."""

from __future__ import annotations

from functools import cached_property

import moderngl

from viewer.render.passes.state import set_state
from viewer.render.programs import Programs
from viewer.render.scene import Scene
from viewer.session.view.view_state import Background

CHECK = 12.0
"""Side of a square, pixels."""


class BackdropPass:
    """A checkerboard for a transparent background; plain backgrounds are cleared, not drawn."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx = ctx
        self._programs = programs

    @cached_property
    def _program(self) -> moderngl.Program:
        return self._programs.get("backdrop", "backdrop")

    @cached_property
    def _array(self) -> moderngl.VertexArray:
        return self._ctx.vertex_array(self._program, [])

    def draw(self, scene: Scene) -> None:
        """Draw the checkerboard on screen; an image file stays transparent."""
        if scene.is_image or scene.view.background is not Background.TRANSPARENT:
            return
        set_state(self._ctx, scene.framebuffer, tests_depth=False, writes_depth=False)
        self._program["check_size"] = CHECK * scene.pixel_scale
        self._array.render(moderngl.TRIANGLES, vertices=3)
