"""Drawing the visible pixels of triangles: without holes of materials, and hidden back faces."""

from __future__ import annotations

from functools import cached_property
from itertools import groupby

import moderngl

from viewer.render.buffers.upload import Submission
from viewer.render.passes.textured import MODES, is_textured
from viewer.render.programs import Programs
from viewer.render.textures.material_bindings import BASE_UNIT, MATERIAL_UNIT, MaterialBindings
from viewer.render.textures.texture_store import Samplers
from viewer.session.view.view_state import ViewState

NO_MATERIALS = -1
"""The shading of shaders/include/coverage.glsl for materials without holes."""


class Coverage:
    """Draws with a fragment stage that discards holes; owner: the renderer, lifetime: its context.

    Parameters
    ----------
    fragment
        The name of the fragment stage.
    """

    def __init__(self, ctx: moderngl.Context, programs: Programs, fragment: str) -> None:
        self._ctx = ctx
        self._samplers = Samplers(ctx)
        self._programs = programs
        self._fragment = fragment

    @cached_property
    def program(self) -> moderngl.Program:
        """The linked program, for the uniforms of the stage."""
        return self._programs.get("covered", self._fragment)

    def render(self, submission: Submission, bindings: MaterialBindings, view: ViewState) -> None:
        """Draw the triangles with the current state; only culling is set, if materials are shown."""
        if is_textured(view, bindings):
            self._render_materials(submission, bindings, view)
        else:
            self.program["shading"] = NO_MATERIALS
            submission.render(self.program)

    def _render_materials(self, submission: Submission, bindings: MaterialBindings, view: ViewState) -> None:
        bindings.use(view.textures)
        bindings.bind_parameters()
        self.program["shading"] = MODES.index(view.shading)
        self.program["material_rows"] = MATERIAL_UNIT
        self.program["base_map"] = BASE_UNIT
        self._samplers.use(view.textures, BASE_UNIT)
        self._ctx.cull_face = "back"
        self._switch_culling(is_on=view.textures.hides_back_faces)
        rows = _first_rows(bindings)
        borders = bindings.draw_start[[*rows, -1]]
        for row, runs in zip(rows, submission.draws.runs_of(borders), strict=True):
            if runs:
                self.program["material_row"] = row
                bindings.textures()[row][0].use(BASE_UNIT)
                submission.render_runs(self.program, runs)
        self._switch_culling(is_on=False)
        self._samplers.clear(BASE_UNIT)

    def _switch_culling(self, *, is_on: bool) -> None:
        if is_on:
            self._ctx.enable(moderngl.CULL_FACE)
        else:
            self._ctx.disable(moderngl.CULL_FACE)


def _first_rows(bindings: MaterialBindings) -> list[int]:
    """The rows at which a new call begins: rows without an alpha test share one."""

    def kind(row: int) -> int | None:
        return row if bindings.is_tested(row) else None

    return [next(rows) for _, rows in groupby(range(len(bindings.rows)), kind)]
