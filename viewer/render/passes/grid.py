"""The ground grid on Z = 0."""

from __future__ import annotations

from functools import cached_property

import moderngl
import numpy as np

from viewer.render.passes.colors import GRID_MAJOR, GRID_MINOR, X_AXIS, Y_AXIS, faded
from viewer.render.passes.state import set_overlay_state
from viewer.render.programs import Programs
from viewer.render.scene import Scene
from viewer.session.view.camera import Camera
from viewer.session.view.scale import grid_fineness, grid_step
from viewer.session.view.view_state import Overlay

HALF_COUNT = 60
"""Lines on each side of the center line."""


def _minor_strength(camera: Camera) -> float:
    return 1.0 - 0.8 * (grid_fineness(camera) % 1.0)


def _facing(camera: Camera) -> float:
    """Opacity of the grid: in an orthographic side view its lines would add up to one bright line."""
    return min(1.0, 8.0 * abs(float(camera.axes[2, 2]))) if camera.is_orthographic else 1.0


class GridPass:
    """Lines a power of ten apart around the target; minor lines fade as they become dense."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx = ctx
        self._programs = programs

    @cached_property
    def _program(self) -> moderngl.Program:
        return self._programs.get("grid", "lines", "lines")

    @cached_property
    def _array(self) -> moderngl.VertexArray:
        return self._ctx.vertex_array(self._program, [])

    def draw(self, scene: Scene) -> None:
        """Draw the grid if the view shows it."""
        if not scene.shows(Overlay.GRID):
            return
        set_overlay_state(self._ctx, scene, is_hidden_by_model=True)
        camera, program = scene.view.camera, self._program
        step = grid_step(camera)
        program["grid_step"] = step
        program["center"] = tuple(np.rint(np.array(camera.target[:2]) / (10 * step)) * 10 * step)
        program["half_count"] = HALF_COUNT
        facing = _facing(camera)
        program["minor_tint"] = faded(GRID_MINOR[scene.view.background], facing * _minor_strength(camera))
        program["major_tint"] = faded(GRID_MAJOR[scene.view.background], facing)
        program["x_tint"] = X_AXIS
        program["y_tint"] = Y_AXIS
        program["line_width"] = scene.pixel_scale
        self._array.render(moderngl.LINES, vertices=2 * (2 * HALF_COUNT + 1) * 4)
