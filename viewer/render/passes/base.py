"""Base classes of the passes, the scene of a frame it is given, the GL state that each sets; colors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Final

import moderngl
from msgspec import Struct, field

from viewer.geometry.transforms import Mask
from viewer.model.effects.moment import NO_LIGHTS, EffectLights
from viewer.model.mesh.shown import ShownParts
from viewer.render.buffers.model_buffers import ModelBuffers
from viewer.render.portions import Portions
from viewer.render.programs import Programs, Projection
from viewer.session.program import FrameStatistics
from viewer.session.view.options.background import Background
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.view_state import ViewState

if TYPE_CHECKING:
    from viewer.session.opened.surroundings import Marks
    from viewer.session.play.ghosts import Ghost

Color = tuple[float, float, float, float]
"""Red, green, blue and alpha, straight, 0 to 1."""

X_AXIS: Final[Color] = (0.86, 0.28, 0.30, 1.0)
Y_AXIS: Final[Color] = (0.48, 0.74, 0.25, 1.0)
Z_AXIS: Final[Color] = (0.27, 0.54, 0.94, 1.0)
SELECTION: Final[Color] = (1.0, 0.62, 0.16, 1.0)
BATCH: Final[Color] = (1.0, 0.62, 0.16, 0.22)
TRIANGLE: Final[Color] = (1.0, 0.82, 0.30, 0.75)
VERTEX: Final[Color] = (1.0, 0.95, 0.55, 1.0)
FLASH: Final[Color] = (0.10, 0.88, 1.0, 1.0)
BONE_PARENT: Final[Color] = (0.98, 0.86, 0.42, 0.95)
BONE_NODE: Final[Color] = (0.90, 0.45, 0.20, 0.95)
NORMAL_ROOT: Final[Color] = (0.20, 0.55, 0.95, 0.9)
NORMAL_TIP: Final[Color] = (0.55, 0.95, 1.0, 0.9)
STREAM_A: Final[Color] = (1.0, 0.35, 0.30, 0.9)
STREAM_B: Final[Color] = (0.45, 0.90, 0.35, 0.9)
"""Vectors A and B of Res16."""
SLOT_BOX: Final[Color] = (0.96, 0.76, 0.28, 0.85)
SLOT_SPHERE: Final[Color] = (0.36, 0.76, 0.96, 0.40)
MEASURED: Final[Color] = (0.35, 0.95, 0.45, 0.9)
SUBTREE_BOX: Final[Color] = (1.0, 0.85, 0.40, 0.95)
"""Bounds as the vertices have them, where the stored ones differ."""
HEADER_HULL: Final[Color] = (0.93, 0.42, 0.80, 0.95)
HEADER_SPHERE: Final[Color] = (0.62, 0.52, 0.98, 0.55)
HEADER_CAPSULE: Final[Color] = (0.40, 0.76, 0.96, 0.80)
CONTROL_POINT: Final[Color] = (0.88, 0.70, 0.35, 0.95)
PATH: Final[Color] = (0.53, 0.75, 0.48, 0.95)
PROBE: Final[Color] = (0.85, 0.87, 0.89, 0.95)
GROUND: Final[Color] = (0.31, 0.75, 0.68, 0.95)
EDGES: Final[Color] = (0.04, 0.05, 0.07, 0.32)

BACKDROP: Final[dict[Background, Color]] = {
    Background.DARK: (0.2, 0.2, 0.2, 1.0),
    Background.LIGHT: (0.86, 0.87, 0.88, 1.0),
    Background.TRANSPARENT: (0.0, 0.0, 0.0, 0.0),
}


def backdrop(view: ViewState) -> Color:
    """The color that lies behind everything in a view."""
    own = (*view.background_color, 1.0)
    return own if view.background is Background.OWN else BACKDROP[view.background]


WIRE: Final[dict[Background, Color]] = {
    Background.DARK: (0.82, 0.86, 0.92, 0.5),
    Background.LIGHT: (0.10, 0.13, 0.18, 0.5),
    Background.TRANSPARENT: (0.55, 0.58, 0.62, 0.7),
}
GRID_MINOR: Final[dict[Background, Color]] = {
    Background.DARK: (1.0, 1.0, 1.0, 0.16),
    Background.LIGHT: (0.0, 0.0, 0.0, 0.16),
    Background.TRANSPARENT: (0.5, 0.5, 0.5, 0.35),
}
GRID_MAJOR: Final[dict[Background, Color]] = {
    Background.DARK: (1.0, 1.0, 1.0, 0.30),
    Background.LIGHT: (0.0, 0.0, 0.0, 0.32),
    Background.TRANSPARENT: (0.5, 0.5, 0.5, 0.6),
}
Factors = tuple[int, int, int, int]
"""Source and destination factors of color, then of alpha, which is the coverage of the image."""
# Alpha is added up as coverage (one, not source alpha), as images have premultiplied alpha (`RenderTarget`).
OVER: Factors = (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA)
"""Straight colors over premultiplied ones."""
# Equal triangles of two programs need not have bit-equal depths, as compilers may compute positions
# differently; "<=" alone would leave gaps in a tint.
TOWARDS_EYE: Final = -2.0
"""Depth offset that moves a tint in front of its own surface."""


def faded(color: Color, strength: float) -> Color:
    """A color with its alpha multiplied."""
    red, green, blue, alpha = color
    return red, green, blue, alpha * strength


class FrameScene(Struct, frozen=True):
    """A frame: the view of a model, its projection and its framebuffer.

    Attributes
    ----------
    shown
        The parts and draws that the view shows, regardless of the camera.
    pixel_scale
        Content scale of the screen: pixels per unit of line width.
    is_image
        The frame is written to a file, which keeps a transparent background.
    is_coarse
        It has one sample per pixel, as more would take too long.
    depth
        Its depth buffer, for marks that are drawn into a framebuffer of their own.
    portions
        How far it is drawn: every call asks it first.
    ghosts
        The model at other times, drawn as well.
    lights
        Those of effects, world space.
    around
        Marks of what is around the model.
    """

    view: ViewState
    subject: ModelBuffers
    shown: ShownParts
    projection: Projection
    framebuffer: moderngl.Framebuffer
    pixel_scale: float = 1.0
    is_image: bool = False
    is_coarse: bool = False
    depth: moderngl.Renderbuffer | None = None
    portions: Portions = field(default_factory=Portions)
    ghosts: tuple[Ghost, ...] = ()
    lights: EffectLights = NO_LIGHTS
    around: tuple[Marks, ...] = ()

    @property
    def visible(self) -> Mask:
        """The draws that the view shows, (d,) bool; portals of any kind are among them with their overlay."""
        return self.shown.visible(has_portals=self.view.shows_portals)

    @property
    def choice(self) -> tuple[object, ...]:
        """The key of `visible`: what is chosen among it is the same as long as this is equal."""
        return self.shown, self.view.shows_portals

    @property
    def statistics(self) -> FrameStatistics:
        """The numbers of what was drawn, and of what lies outside of the view."""
        subject, listed, portions = self.subject, self.subject.shown.draws, self.portions
        culled = subject.requested_count(self.shown) - listed.draw_count
        progress = (0, 0) if portions.is_whole else (portions.drawn, portions.total)
        return FrameStatistics(listed.draw_count, culled, listed.triangle_count, *progress)

    def shows(self, overlay: Overlay) -> bool:
        """Whether the view shows an overlay."""
        return overlay in self.view.overlays


class Pass(ABC):
    """A layer of a frame; owner: the renderer, lifetime: its context, or one model if it is given one.

    Attributes
    ----------
    stages
        Names of the vertex, fragment and geometry shader; empty if it draws with programs of others.
    is_cut
        It draws triangles of the model alone, which the section plane cuts.
    """

    stages: ClassVar[tuple[str, ...]] = ()
    is_cut: ClassVar[bool] = False

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx = ctx
        self._programs = programs
        self._made_of: object = None

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

    def _is_other(self, made_of: object) -> bool:
        """Whether the pass draws something made of other things than in the frame before."""
        before, self._made_of = self._made_of, made_of
        return before != made_of

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
    # "<=", so that a pass can draw over the very pixels that another filled: edges, tints.
    ctx.depth_func = "<="
    ctx.blend_func = OVER  # type: ignore[assignment] # four factors are taken, two declared
    ctx.wireframe = is_wire
    # The first is multiplied by the slope of the triangle, the second by the smallest step of the depth
    # buffer.
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
