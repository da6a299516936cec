"""Portals: the doorways between the rooms of a building, see-through; as walls they would plug every door."""

from __future__ import annotations

from functools import cached_property

import moderngl

from viewer.render.passes.colors import PORTAL, PORTAL_EDGE
from viewer.render.passes.state import TOWARDS_EYE, set_state
from viewer.render.programs import Programs
from viewer.render.scene import Scene
from viewer.session.view.view_state import Overlay


class PortalPass:
    """See-through portals with their edges, hidden by what is before them."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx = ctx
        self._programs = programs

    @cached_property
    def _program(self) -> moderngl.Program:
        return self._programs.get("plain", "plain")

    def draw(self, scene: Scene) -> None:
        """Draw the portals if the view shows them."""
        subject = scene.subject
        if not scene.shows(Overlay.PORTALS) or not scene.shown.portals.any():
            return
        subject.portals.show(subject.merged.mask_of(scene.shown.portals))
        for tint, is_wire in ((PORTAL, False), (PORTAL_EDGE, True)):
            set_state(
                self._ctx,
                scene.framebuffer,
                writes_depth=False,
                is_blended=True,
                is_wire=is_wire,
                depth_offset=TOWARDS_EYE,
            )
            self._program["tint"] = tint
            subject.portals.render(self._program)
