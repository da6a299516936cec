"""Base classes of the passes, the scene of one frame that each is given, and the GL state that each sets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import moderngl

from viewer.model.mesh.shown import ShownParts
from viewer.render.buffers.draw_list import Mask
from viewer.render.buffers.model_buffers import ModelBuffers
from viewer.render.programs import Programs, Projection
from viewer.session.view.view_state import Overlay, ViewState

Factors = tuple[int, int, int, int]
"""Source and destination factors of color, then of alpha, which is the coverage of the image."""
# Alpha is added up as coverage (one, not source alpha): the image has premultiplied alpha, see `Target`.
OVER: Factors = (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA)
"""Straight colors over premultiplied ones."""
TOWARDS_EYE = -2.0
"""Depth offset that moves a tint in front of its own surface."""


@dataclass(frozen=True, slots=True)
class FrameScene:
    """One frame: the view of a model, its projection and its framebuffer.

    Attributes
    ----------
    shown
        The parts and draws that the view shows, regardless of the camera.
    pixel_scale
        Content scale of the screen: pixels per unit of line width.
    is_image
        The frame is written to a file, which keeps a transparent background.
    depth
        The depth buffer of the layers below, for those that are drawn into the resolved image.
    """

    view: ViewState
    subject: ModelBuffers
    shown: ShownParts
    projection: Projection
    framebuffer: moderngl.Framebuffer
    pixel_scale: float = 1.0
    is_image: bool = False
    depth: moderngl.Renderbuffer | None = None

    @property
    def visible(self) -> Mask:
        """The draws that the view shows, (d,) bool; portals are among them if their overlay is on."""
        return self.shown.visible(has_portals=self.shows(Overlay.PORTALS))

    def shows(self, overlay: Overlay) -> bool:
        """Whether the view shows an overlay."""
        return overlay in self.view.overlays


class Pass(ABC):
    """One layer of a frame; owner: the renderer, lifetime: its context, or one model if it is given one.

    Attributes
    ----------
    stages
        Names of the vertex, fragment and geometry shader; empty if it draws with programs of others.
    """

    stages: ClassVar[tuple[str, ...]] = ()

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx = ctx
        self._programs = programs

    @cached_property
    def _program(self) -> moderngl.Program:
        return self._programs.get(*self.stages)

    @cached_property
    def _no_inputs(self) -> moderngl.VertexArray:
        """A vertex array for shaders that compute their vertices from `gl_VertexID`."""
        return self._ctx.vertex_array(self._program, [])

    @abstractmethod
    def draw(self, scene: FrameScene) -> None:
        """Draw into the scene's framebuffer, which is bound."""

    def _set_line_state(self, scene: FrameScene, *, is_hidden_by_model: bool) -> None:
        """Set the state of blended lines, on top of the model or depth-tested against it."""
        set_state(
            self._ctx, scene.framebuffer, tests_depth=is_hidden_by_model, writes_depth=False, is_blended=True
        )


class OverlayPass(Pass):
    """A layer that a view shows or hides."""

    overlay: ClassVar[Overlay]

    def draw(self, scene: FrameScene) -> None:
        """Draw the overlay if the view shows it."""
        if scene.shows(self.overlay):
            self._draw(scene)

    @abstractmethod
    def _draw(self, scene: FrameScene) -> None: ...


def set_state(
    ctx: moderngl.Context,
    framebuffer: moderngl.Framebuffer,
    *,
    tests_depth: bool = True,
    writes_depth: bool = True,
    is_blended: bool = False,
    is_wire: bool = False,
    depth_offset: float = 0.0,
) -> None:
    """Set every state a pass relies on; `depth_offset` above 0 pushes filled triangles back."""
    # enable_only also switches culling off: a pass that culls enables it after this call.
    flags = moderngl.DEPTH_TEST if tests_depth else moderngl.NOTHING
    ctx.enable_only(flags | (moderngl.BLEND if is_blended else moderngl.NOTHING))
    # "<=", so that a pass can draw over the very pixels that another filled: edges, tints, layers of terrain.
    ctx.depth_func = "<="
    ctx.blend_func = OVER  # type: ignore[assignment] # four factors are taken, two declared
    ctx.wireframe = is_wire
    ctx.polygon_offset = (depth_offset, depth_offset)
    # moderngl keeps the depth mask per framebuffer and applies it when that is bound, also before `clear`.
    framebuffer.depth_mask = writes_depth


def set_material_state(
    ctx: moderngl.Context,
    framebuffer: moderngl.Framebuffer,
    *,
    factors: Factors | None,
    writes_depth: bool,
    culls_back_faces: bool,
    depth_offset: float,
) -> None:
    """State of triangles in a material; without `factors` they are not blended."""
    is_blended = factors is not None
    set_state(ctx, framebuffer, writes_depth=writes_depth, is_blended=is_blended, depth_offset=depth_offset)
    if factors is not None:
        ctx.blend_func = factors  # type: ignore[assignment] # four factors are taken, two declared
    if culls_back_faces:
        ctx.cull_face = "back"
        ctx.enable(moderngl.CULL_FACE)
