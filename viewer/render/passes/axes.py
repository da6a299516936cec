"""Axes of the world and of the nodes, and the bones between nodes."""

from __future__ import annotations

from functools import cached_property

import moderngl
import numpy as np

from viewer.model.mesh.model import Model
from viewer.model.mesh.skeleton import ROOT, Skeleton
from viewer.render.passes.colors import BONE_NODE, BONE_PARENT
from viewer.render.passes.line_batch import WORLD, LineBatch
from viewer.render.passes.line_shapes import axes
from viewer.render.passes.state import set_overlay_state
from viewer.render.programs import Programs
from viewer.render.scene import Scene
from viewer.session.view.scale import axes_length
from viewer.session.view.view_state import Overlay

NODE_SHARE = 0.06
"""Length of a node's axes as a fraction of half the view height at the target."""
WIDTH = 2.0
"""Pixels."""


class WorldAxesPass:
    """X, Y and Z from the origin, hidden by the model."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx = ctx
        self._lines = LineBatch(ctx, programs, axes())
        self._lines.set_instances(WORLD)

    def draw(self, scene: Scene) -> None:
        """Draw the axes if the view shows them."""
        if not scene.shows(Overlay.AXES):
            return
        set_overlay_state(self._ctx, scene, is_hidden_by_model=True)
        stretch = axes_length(scene.view.camera)
        self._lines.render(width=WIDTH * scene.pixel_scale, stretch=stretch)


class NodeAxesPass:
    """The axes of every node, or of the selected ones that show no geometry; drawn over the model."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx = ctx
        self._lines = LineBatch(ctx, programs, axes())
        self._placed: tuple[int, ...] = ()

    def draw(self, scene: Scene) -> None:
        """Draw the axes if the view shows them, and those of selected nodes without geometry."""
        self._set_instances(self._nodes(scene))
        if not self._placed:
            return
        set_overlay_state(self._ctx, scene, is_hidden_by_model=False)
        stretch = NODE_SHARE * scene.view.camera.half_height
        self._lines.render(width=WIDTH * scene.pixel_scale, stretch=stretch)

    def _nodes(self, scene: Scene) -> tuple[int, ...]:
        count = scene.subject.model.node_count
        if scene.shows(Overlay.NODE_AXES):
            return tuple(range(count))
        filled = (
            set(scene.subject.draws.parts.node[scene.shown.parts].tolist())
            if scene.view.selection.nodes
            else ()
        )
        return tuple(n for n in scene.view.selection.nodes if 0 <= n < count and n not in filled)

    def _set_instances(self, nodes: tuple[int, ...]) -> None:
        if nodes != self._placed:
            self._placed = nodes
            self._lines.set_instances(nodes)


class BonesPass:
    """A line from each parent's origin to its child's; drawn over the model."""

    def __init__(self, ctx: moderngl.Context, programs: Programs, model: Model) -> None:
        self._ctx = ctx
        self._programs = programs
        parents = Skeleton(model).parents
        child = np.flatnonzero(parents != ROOT)
        self._pairs = np.stack([child, parents[child]], axis=1).astype(np.uint32)

    @cached_property
    def _program(self) -> moderngl.Program:
        return self._programs.get("bones", "lines", "lines")

    @cached_property
    def _array(self) -> moderngl.VertexArray:
        content = [(self._ctx.buffer(self._pairs), "1u4 1u4/i", "in_node", "in_parent")]
        return self._ctx.vertex_array(self._program, content)

    def draw(self, scene: Scene) -> None:
        """Draw the bones if the view shows them."""
        if not len(self._pairs) or not scene.shows(Overlay.BONES):
            return
        set_overlay_state(self._ctx, scene, is_hidden_by_model=False)
        self._program["parent_tint"] = BONE_PARENT
        self._program["node_tint"] = BONE_NODE
        self._program["line_width"] = WIDTH * scene.pixel_scale
        self._array.render(moderngl.LINES, vertices=2, instances=len(self._pairs))
