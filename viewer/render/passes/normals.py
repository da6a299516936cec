"""The stored normal of every visible vertex as a short line."""

from __future__ import annotations

from functools import cached_property

import moderngl

from viewer.render.passes.colors import NORMAL_ROOT, NORMAL_TIP
from viewer.render.passes.state import set_overlay_state
from viewer.render.programs import Programs
from viewer.render.scene import Scene
from viewer.session.view.view_state import Overlay

SHARE = 0.05
"""Length of a normal as a fraction of half the view height at the target."""


class NormalsPass:
    """Vertex normals; a vertex without one has no line."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx = ctx
        self._programs = programs

    @cached_property
    def _program(self) -> moderngl.Program:
        return self._programs.get("normals", "lines", "normals")

    def draw(self, scene: Scene) -> None:
        """Draw the normals if the view shows them."""
        if not scene.shows(Overlay.NORMALS):
            return
        set_overlay_state(self._ctx, scene, is_hidden_by_model=True)
        self._program["root_tint"] = NORMAL_ROOT
        self._program["tip_tint"] = NORMAL_TIP
        self._program["line_width"] = scene.pixel_scale
        self._program["normal_length"] = SHARE * scene.view.camera.half_height
        scene.subject.shown.render_vertices(self._program)
