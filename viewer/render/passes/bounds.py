"""Stored bounds: boxes and spheres of the slots, hull, sphere and capsule of the header."""

from __future__ import annotations

import moderngl
import numpy as np

from viewer.model.mesh.draws import Parts
from viewer.render.buffers.draw_list import Mask
from viewer.render.passes import colors
from viewer.render.passes.line_batch import WORLD, LineBatch
from viewer.render.passes.line_shapes import LineShape, box, cylinder, hull, sphere
from viewer.render.passes.state import set_overlay_state
from viewer.render.programs import Programs
from viewer.render.scene import Scene
from viewer.session.view.view_state import Overlay

WIDTH = 1.25
"""Pixels."""


class SlotBoundsPass:
    """Box and sphere of every shown slot, transformed by its node."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx = ctx
        self._boxes = LineBatch(ctx, programs, box())
        self._spheres = LineBatch(ctx, programs, sphere())
        self._placed: tuple[Mask, Parts] | None = None

    def draw(self, scene: Scene) -> None:
        """Draw the bounds if the view shows them."""
        if not scene.shows(Overlay.SLOT_BOUNDS):
            return
        self._set_instances(scene)
        set_overlay_state(self._ctx, scene, is_hidden_by_model=True)
        width = WIDTH * scene.pixel_scale
        self._spheres.render(width=width, tint=colors.SLOT_SPHERE)
        self._boxes.render(width=width, tint=colors.SLOT_BOX)

    def _set_instances(self, scene: Scene) -> None:
        parts, chosen = scene.subject.draws.parts, scene.shown.parts
        placed, self._placed = self._placed, (chosen, parts)
        if placed is not None and placed[1] is parts and np.array_equal(placed[0], chosen):
            return
        node = parts.node[chosen]
        self._boxes.set_instances(node, parts.box_center.T[chosen], parts.box_extent.T[chosen])
        self._spheres.set_instances(node, parts.sphere_center.T[chosen], parts.sphere_radius[chosen, None])


class HeaderBoundsPass:
    """Hull, sphere and capsule of the model's header, in the model's space."""

    def __init__(self, ctx: moderngl.Context, programs: Programs, header: np.void | None) -> None:
        self._ctx = ctx
        self._batches = []
        for shape, tint in _header_shapes(header):
            batch = LineBatch(ctx, programs, shape)
            batch.set_instances(WORLD)
            self._batches.append((batch, tint))

    def draw(self, scene: Scene) -> None:
        """Draw the bounds if the view shows them."""
        if not scene.shows(Overlay.HEADER_BOUNDS):
            return
        set_overlay_state(self._ctx, scene, is_hidden_by_model=True)
        for batch, tint in self._batches:
            batch.render(width=WIDTH * scene.pixel_scale, tint=tint)


def _header_shapes(header: np.void | None) -> list[tuple[LineShape, colors.Color]]:
    """The shapes with finite numbers."""
    if header is None:
        return []
    ball = sphere()
    with np.errstate(over="ignore", invalid="ignore"):
        placed = LineShape(ball.points * header["sphere_radius"] + header["sphere_center"], ball.colors)
        capsule = cylinder(header["capsule_a"], header["capsule_b"], float(header["capsule_radius"]))
    shapes = [
        (hull(header["hull"]), colors.HEADER_HULL),
        (placed, colors.HEADER_SPHERE),
        (capsule, colors.HEADER_CAPSULE),
    ]
    return [(shape, tint) for shape, tint in shapes if np.isfinite(shape.points).all()]
