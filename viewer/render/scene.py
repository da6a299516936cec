"""The input of a pass for one frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import moderngl

from viewer.model.mesh.shown import ShownParts
from viewer.render.buffers.draw_list import Mask
from viewer.render.buffers.model_buffers import ModelBuffers
from viewer.render.projection import Projection
from viewer.session.view.view_state import Overlay, ViewState


@dataclass(frozen=True, slots=True)
class Scene:
    """One frame: the view of a model, its projection and its framebuffer.

    Attributes
    ----------
    shown
        The parts and draws that the view shows, regardless of the camera.
    pixel_scale
        Content scale of the screen: pixels per unit of line width.
    is_image
        The frame is written to a file, which keeps a transparent background.
    """

    view: ViewState
    subject: ModelBuffers
    shown: ShownParts
    projection: Projection
    framebuffer: moderngl.Framebuffer
    pixel_scale: float = 1.0
    is_image: bool = False

    @property
    def visible(self) -> Mask:
        """The draws that the view shows, (d,) bool; portals are among them if their overlay is on."""
        return self.shown.visible(has_portals=self.shows(Overlay.PORTALS))

    def shows(self, overlay: Overlay) -> bool:
        """Whether the view shows an overlay."""
        return overlay in self.view.overlays


class Pass(Protocol):
    """One layer of a frame; owner: the renderer, lifetime: one model."""

    def draw(self, scene: Scene) -> None:
        """Draw into the scene's framebuffer, which is bound."""
