"""The selection: batch and triangle tinted on the surface, nodes outlined even if covered."""

from __future__ import annotations

from functools import cached_property

import moderngl
import numpy as np

from viewer.model.mesh.draws import NO_BATCH
from viewer.render.buffers.coverage import Coverage
from viewer.render.buffers.draw_list import Mask
from viewer.render.buffers.model_buffers import ModelBuffers
from viewer.render.passes.colors import BATCH, SELECTION, TRIANGLE
from viewer.render.passes.marks import Marks
from viewer.render.passes.state import TOWARDS_EYE, set_state
from viewer.render.programs import Programs
from viewer.render.scene import Scene
from viewer.session.selection import Selection


class HighlightPass:
    """The selected batch and triangle, tinted where they are visible."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx = ctx
        self._programs = programs
        self._coverage = Coverage(ctx, programs, "tinted")

    @cached_property
    def _program(self) -> moderngl.Program:
        return self._programs.get("plain", "plain")

    def draw(self, scene: Scene) -> None:
        """Tint the selected batch and triangle."""
        selection, subject = scene.view.selection, scene.subject
        if selection.node is None or (selection.batch is None and selection.triangle is None):
            return
        draws = _selected_draws(subject, selection) & scene.visible
        set_state(self._ctx, scene.framebuffer, writes_depth=False, is_blended=True, depth_offset=TOWARDS_EYE)
        if selection.batch is not None:
            self._coverage.program["tint"] = BATCH
            subject.highlighted.show(subject.merged.mask_of(draws))
            self._coverage.render(subject.highlighted, subject.bindings, scene.view)
        self._program["tint"] = TRIANGLE
        for triangle in _selected_triangles(subject, selection, draws):
            subject.highlighted.render_triangle(self._program, triangle)


def _selected_draws(subject: ModelBuffers, selection: Selection) -> Mask:
    draws = subject.draws
    batch = NO_BATCH if selection.batch is None else selection.batch
    chosen: Mask = (draws.node == selection.node) & (draws.batch == batch)
    return chosen if selection.slot is None else chosen & (draws.slot == selection.slot)


def _selected_triangles(subject: ModelBuffers, selection: Selection, draws: Mask) -> list[int]:
    """Merged triangles of the selected triangle, in the chosen draws (d,)."""
    if selection.triangle is None:
        return []
    merged = subject.merged
    found = []
    for at in np.flatnonzero(merged.mask_of(draws)).tolist():
        start, end = subject.draws.triangle_start[merged.draw[at] :][:2]
        rows = np.flatnonzero(subject.draws.triangle[start:end] == selection.triangle)
        found += (rows + merged.triangle_start[at]).tolist()
    return found


class OutlinePass:
    """An outline of the selected nodes, drawn into the resolved image."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._programs = programs
        self._marks = Marks(ctx, programs)

    @cached_property
    def _fill(self) -> moderngl.Program:
        return self._programs.get("plain", "plain")

    def draw(self, scene: Scene) -> None:
        """Draw the outline if something is selected."""
        subject = scene.subject
        if not scene.view.selection.nodes:
            return
        subject.select(scene.visible, scene.view.selection.nodes)
        if not subject.selected.draws.triangle_count:
            return
        self._marks.begin(scene.projection.size)
        self._fill["tint"] = (1.0, 1.0, 1.0, 1.0)
        subject.selected.render(self._fill)
        self._marks.put_on(scene.framebuffer, scene, SELECTION)
