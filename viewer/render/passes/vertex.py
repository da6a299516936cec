"""The mark of the selected vertex."""

from __future__ import annotations

import moderngl

from viewer.render.passes.colors import VERTEX
from viewer.render.passes.line_batch import LineBatch
from viewer.render.passes.line_shapes import diamond
from viewer.render.passes.state import set_overlay_state
from viewer.render.programs import Programs
from viewer.render.scene import Scene

SHARE = 0.02
"""Half the size of the mark as a fraction of half the view height at the target."""
WIDTH = 2.0
"""Pixels."""


class VertexPass:
    """A diamond around the selected vertex, drawn over the model."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx = ctx
        self._lines = LineBatch(ctx, programs, diamond())
        self._placed = (-1, -1)

    def draw(self, scene: Scene) -> None:
        """Draw the mark if a vertex of a shown node is selected."""
        selection, model = scene.view.selection, scene.subject.model
        node, vertex = selection.node, selection.vertex
        if vertex is None or node is None or vertex >= model.vertex_count or node >= model.node_count:
            return
        if not scene.shown.kept[node]:
            return
        if (node, vertex) != self._placed:
            self._placed = node, vertex
            self._lines.set_instances(node, model.positions[vertex])
        set_overlay_state(self._ctx, scene, is_hidden_by_model=False)
        size = SHARE * scene.view.camera.half_height
        self._lines.render(width=WIDTH * scene.pixel_scale, tint=VERTEX, stretch=size)
