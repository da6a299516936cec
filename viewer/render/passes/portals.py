"""Portals between the rooms of a building: their overlay, and their fading with distance."""

from __future__ import annotations

from typing import Final

import numpy as np

from viewer.geometry.transforms import Doubles
from viewer.model.mesh.portals import DOORWAY, KINDS, PortalKind
from viewer.render.passes.base import TOWARDS_EYE, FrameScene, OverlayPass, Pass, set_state
from viewer.session.view import portal_fading
from viewer.session.view.coloring import PORTAL_COLORS
from viewer.session.view.options.overlays import Overlay

FILL: Final = {PortalKind.SIGN: 0.12, PortalKind.OPEN: 0.32, PortalKind.DOORWAY: 0.32}
"""Opacity of the color over each kind: a sign is seen through it."""
EDGE: Final = 0.9
"""Opacity of the edges."""


STEPS: Final = 255
"""Opacities that are told apart: those of an 8-bit image."""


def opacities(scene: FrameScene) -> Doubles | None:
    """Opacity of each draw by its distance from the eye, (d,); None unless the view has portals fade."""
    subject, draws = scene.subject, scene.subject.draws
    portals = np.flatnonzero(scene.shown.portals & (draws.triangle_count > 0))
    # A parallel projection has no eye to be far from.
    if not (scene.view.drawn.has_fading_portals and len(portals)) or scene.view.camera.is_orthographic:
        return None
    # The game measures to the first corner of the quad (spec/field-notes.md 3), not to its center.
    first = subject.model.positions[draws.corners[draws.triangle_start[portals], 0]].astype(np.float64)
    matrix = subject.world[draws.node[portals]].astype(np.float64)
    corner = np.einsum("nij,nj->ni", matrix[:, :3, :3], first) + matrix[:, :3, 3]
    distance = np.linalg.norm(corner - scene.projection.eye[:3], axis=1)
    width, height = scene.projection.size
    found = np.ones(len(draws))
    found[portals] = portal_fading.opacities(
        subject.chooser.portal[portals], distance, scene.view.camera, width / height
    )
    # Rounded, so that doorways of nearly one distance are one call, and moving the eye a little changes no
    # buffer.
    rounded: Doubles = np.round(found * STEPS) / STEPS
    return rounded


class DoorwayPass(Pass):
    """Doorways that blacken with distance, if the view has portals fade."""

    stages = ("plain", "plain")
    is_cut = True

    def draw(self, scene: FrameScene) -> None:
        """Draw the doorways that are not clear."""
        found = opacities(scene)
        if found is None:
            return
        subject = scene.subject
        is_doorway = scene.shown.portals & (subject.chooser.portal == DOORWAY)
        black = subject.portals[PortalKind.DOORWAY]
        for opacity in np.unique(found[is_doorway]).tolist():
            if opacity > 0:
                black.show(subject.merged.mask_of(is_doorway & (found == opacity)))
                set_state(self._ctx, scene.framebuffer, writes_depth=False, is_blended=True)
                self._program["tint"] = (0.0, 0.0, 0.0, opacity)
                black.render(self._program, scene.portions)


class PortalPass(OverlayPass):
    """Portals, see-through, in a color for each kind."""

    stages = ("plain", "plain")
    is_cut = True
    overlay = Overlay.PORTALS

    def _draw(self, scene: FrameScene) -> None:
        subject, chooser = scene.subject, scene.subject.chooser
        for number, kind in enumerate(KINDS):
            chosen = scene.shown.portals & (chooser.portal == number)
            if not chosen.any():
                continue
            subject.portals[kind].show(subject.merged.mask_of(chosen))
            # The same triangles as a surface and as lines, which tells a quad from its two triangles.
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
