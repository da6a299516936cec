"""The overlay of portals: doorways, open portals and signs between the rooms of a building."""

from __future__ import annotations

from typing import Final

from viewer.model.mesh.portals import KINDS, PortalKind
from viewer.render.passes.base import TOWARDS_EYE, FrameScene, OverlayPass, set_state
from viewer.session.view.coloring import PORTAL_COLORS
from viewer.session.view.view_state import Overlay

FILL: Final = {PortalKind.SIGN: 0.12, PortalKind.OPEN: 0.32, PortalKind.DOORWAY: 0.32}
"""Opacity of the color over each kind: a sign is seen through it."""
EDGE: Final = 0.9
"""Opacity of the edges."""


class PortalPass(OverlayPass):
    """Portals, see-through, in a color for each kind."""

    stages = ("plain", "plain")
    overlay = Overlay.PORTALS

    def _draw(self, scene: FrameScene) -> None:
        subject, chooser = scene.subject, scene.subject.chooser
        for number, kind in enumerate(KINDS):
            chosen = scene.shown.portals & (chooser.portal == number)
            if not chosen.any():
                continue
            subject.portals[kind].show(subject.merged.mask_of(chosen))
            for opacity, is_wire in ((FILL[kind], False), (EDGE, True)):
                set_state(
                    self._ctx,
                    scene.framebuffer,
                    writes_depth=False,
                    is_blended=True,
                    is_wire=is_wire,
                    depth_offset=TOWARDS_EYE,
                )
                self._program["tint"] = (*PORTAL_COLORS[kind], opacity)
                subject.portals[kind].render(self._program, scene.portions)
