"""What a pass is given to draw one frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import moderngl

from viewer.render.buffers.draw_list import Mask
from viewer.render.buffers.model_buffers import ModelBuffers
from viewer.render.projection import Projection
from viewer.session.view.view_state import Overlay, ViewState


@dataclass(frozen=True, slots=True)
class Scene:
    """One frame: the view of a subject, how it is projected, and where it goes.

    Attributes
    ----------
    chosen
        Parts that the view shows wherever the camera is, (p,) bool.
    pixel_scale
        Pixels per unit of line width: the content scale of the screen.
    is_picture
        Goes to a file, where what is transparent stays so.
    """

    view: ViewState
    subject: ModelBuffers
    chosen: Mask
    projection: Projection
    framebuffer: moderngl.Framebuffer
    pixel_scale: float = 1.0
    is_picture: bool = False

    def shows(self, overlay: Overlay) -> bool:
        """Tell whether the view has an overlay on."""
        return overlay in self.view.overlays


class Pass(Protocol):
    """One layer of a frame; owner: the renderer, lifetime: one model."""

    def draw(self, scene: Scene) -> None:
        """Draw into the scene's framebuffer, which is in use."""
