"""The faces in the section plane: where it cuts a closed surface, its inside is filled in one color."""

from __future__ import annotations

from typing import Final

import moderngl
import numpy as np

from viewer.geometry.transforms import Mask
from viewer.model.mesh.closed_surfaces import closed_triangles
from viewer.model.mesh.draws import expand
from viewer.render.buffers.model_buffers import ModelBuffers
from viewer.render.passes.base import Color, FrameScene, Pass, set_state
from viewer.render.programs import Programs
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.section import SectionAxis
from viewer.session.view.options.shading import Shading

FILLED: Final[Color] = (0.62, 0.27, 0.2, 1.0)
MOST_TRIANGLES: Final = 300_000
"""Triangles up to which closed surfaces are looked for, again for each choice of parts: half a second."""
_VERTEX: Final = np.dtype([("position", "<f4", 3), ("node", "<u4")])


class CutFacePass(Pass):
    """The backs of the triangles of closed surfaces over their own colors.

    In front of the plane such a back is hidden by the front of its surface. So it is seen exactly where the
    plane lies inside: painted over it looks like the face that the plane cuts, but for its depth. What is
    inside of a surface stays visible.
    """

    stages = ("plain", "plain")
    is_cut = True

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        super().__init__(ctx, programs)
        self._array: moderngl.VertexArray | None = None
        self._count = 0

    def draw(self, scene: FrameScene) -> None:
        """Fill the faces, if something is cut."""
        if scene.view.section is SectionAxis.OFF or scene.view.shading is Shading.WIREFRAME:
            return
        subject = scene.subject
        # An animated material may become see-through. As bytes, since arrays are not compared as a whole.
        layers = [it.tobytes() for it in subject.bindings.layers]
        if self._is_other((*scene.choice, subject.model, scene.view.lighting.look, layers)):
            self._write(scene)
        if self._array is None or not scene.portions.is_due(self._count):
            return
        # No nearer than the surface itself: the back of a steep edge would show in front of it.
        set_state(self._ctx, scene.framebuffer, depth_offset=float(scene.shows(Overlay.EDGES)))
        self._ctx.cull_face = "front"
        self._ctx.enable(moderngl.CULL_FACE)
        self._program["tint"] = FILLED
        self._array.render(moderngl.TRIANGLES)

    def _write(self, scene: FrameScene) -> None:
        subject, draws = scene.subject, scene.subject.draws
        draw = np.flatnonzero(scene.visible & _is_solid(subject))
        count = draws.triangle_count[draw]
        self._count, self._array = 0, None
        if count.sum() > MOST_TRIANGLES:
            return
        triangle, draw = expand(draws.triangle_start[draw], count), np.repeat(draw, count)
        corners = draws.corners[triangle]
        is_closed = closed_triangles(subject.model.positions, corners, draws.part[draw])
        self._count = int(is_closed.sum())
        if self._count:  # GL refuses an empty buffer
            vertices = np.empty(3 * self._count, _VERTEX)
            vertices["position"] = subject.model.positions[corners[is_closed].reshape(-1)]
            vertices["node"] = np.repeat(draws.node[draw[is_closed]], 3)
            content = [(self._ctx.buffer(vertices), "3f 1u4", "in_position", "in_node")]
            self._array = self._ctx.vertex_array(self._program, content)


def _is_solid(subject: ModelBuffers) -> Mask:
    """The draws through whose triangles nothing is seen, (d,): no glass, no leaves."""
    bindings, solid = subject.bindings, np.ones(len(subject.draws), np.bool_)
    rows = [not (bindings.is_tested(it) or bindings.is_see_through(it)) for it in range(len(bindings.rows))]
    solid[subject.merged.draw] = np.array(rows)[bindings.row_of_draw]
    return solid
