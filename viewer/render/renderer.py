"""Rendering a view of a model: the frame on screen, images, id images, picking."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from time import perf_counter
from typing import Final

import moderngl
import numpy as np
import numpy.typing as npt

from viewer.dataclass import dataclass, replace
from viewer.model.material.materials import NO_MATERIALS, Materials, MissingResource
from viewer.model.material.phases import PhaseState
from viewer.model.mesh.animation import Pose
from viewer.model.mesh.draws import Draws, Indices
from viewer.model.mesh.model import Model
from viewer.model.mesh.shown import ShownParts
from viewer.render.buffers.merge import MergedDraws, is_equal, material_of_draws, merge, merge_again
from viewer.render.buffers.model_buffers import ModelBuffers, nothing
from viewer.render.frame_limit import FrameLimit
from viewer.render.passes.base import BACKDROP, FrameScene, Pass
from viewer.render.passes.ids import Ids, Picker, PickHit, Shot
from viewer.render.passes.marks import FlashPass, HighlightPass, OutlinePass, VertexPass
from viewer.render.passes.overlays import (
    BonesPass,
    GridPass,
    HeaderBoundsPass,
    NodeAxesPass,
    NormalsPass,
    PortalPass,
    SlotBoundsPass,
    WorldAxesPass,
)
from viewer.render.passes.textured import BackdropPass, EdgePass, SurfacePass, TexturedPass
from viewer.render.programs import FrameBlock, Programs, Projection
from viewer.render.targets import RenderTarget, Size
from viewer.render.textures.material_bindings import MaterialBindings
from viewer.render.textures.texels import MaterialTexture, Texels
from viewer.render.textures.texture_store import CAPACITY, TextureStore
from viewer.session.program import FrameStatistics
from viewer.session.view.textures import TextureSwitches
from viewer.session.view.view_state import OWN_VIEW_PLANES, SAMPLES, Background, Overlay, ViewState

FRAME_SECONDS: Final = 0.25
"""Time after which a frame on screen leaves triangles out."""

MOST_SAMPLES: Final = 1 << 26
"""Samples of an image: one that is very large has fewer per pixel."""
MOST_KEPT: Final = 1 << 22
"""Pixels of a target that is kept for the next image."""
MadeOf = tuple[Model, Draws, npt.ArrayLike | None, Indices | None]
"""The arguments of `merge`."""


@dataclass(frozen=True, slots=True)
class DrawnFrame:
    """A drawn frame.

    Attributes
    ----------
    texture
        The GL name of its texture, bottom row first.
    is_final
        Drawing the same again would not show more triangles.
    """

    texture: int
    statistics: FrameStatistics
    is_final: bool


@dataclass(frozen=True, slots=True, eq=False)
class UploadedModel:
    """A model on the graphics card and the layers that draw it; owner: the caller of `Renderer.load`."""

    made_of: MadeOf | None
    buffers: ModelBuffers
    passes: tuple[Pass, ...]


@dataclass(frozen=True, slots=True)
class FrameRequest:
    """What is drawn into which target, and the work that it may cost."""

    target: RenderTarget
    view: ViewState
    pose: Pose | None
    size: Size
    limit: FrameLimit
    is_image: bool
    line_scale: float = 1.0


class Layers:
    """The layers of a frame that are the same for all models; owner: the renderer."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx = ctx
        self._programs = programs
        self._below = [made(ctx, programs) for made in (BackdropPass, SurfacePass)]
        # What tests depth against the model comes before the lines that are drawn over everything.
        over = (PortalPass, EdgePass, HighlightPass, NormalsPass, GridPass, WorldAxesPass, SlotBoundsPass)
        self._over = [made(ctx, programs) for made in over]
        self._last = [made(ctx, programs) for made in (NodeAxesPass, VertexPass)]

    def of_model(self, subject: ModelBuffers) -> tuple[Pass, ...]:
        """All layers of a frame that shows a model, the lowest first."""
        ctx, programs, model = self._ctx, self._programs, subject.model
        return (
            *self._below,
            TexturedPass(ctx, programs, subject),
            *self._over,
            HeaderBoundsPass(ctx, programs, model.header),
            BonesPass(ctx, programs, model),
            *self._last,
        )


class Renderer:
    """Everything on the graphics card; owner: app, lifetime: its context. Main thread only.

    Parameters
    ----------
    ctx
        A context of OpenGL 3.3 core or newer. Its garbage is collected once a frame.
    shaders
        Folder of the shader files.
    texture_capacity
        Texture budget, bytes.

    Attributes
    ----------
    pixel_scale
        Content scale of the screen, which multiplies line widths.
    fades_in
        Whether textures fade in from their mean color; time passes in `advance`.
    statistics
        Those of the last frame or image.
    """

    def __init__(
        self, ctx: moderngl.Context, shaders: Path | Traversable, texture_capacity: int = CAPACITY
    ) -> None:
        ctx.gc_mode = "context_gc"
        self.pixel_scale = 1.0
        self.fades_in = False
        self._ctx = ctx
        self._programs = Programs(ctx, shaders)
        self._block = FrameBlock(ctx)
        self.statistics = FrameStatistics()
        self._limit = FrameLimit(FRAME_SECONDS)
        self._screen, self._image_target = RenderTarget(ctx), RenderTarget(ctx)
        self._picker = Picker(ctx, self._programs, self._block)
        self._store = TextureStore(ctx, texture_capacity)
        self._outline = OutlinePass(ctx, self._programs)
        self._flash = FlashPass(ctx, self._programs)
        self._layers = Layers(ctx, self._programs)
        self.unload()

    def load(
        self,
        model: Model,
        draws: Draws,
        material: npt.ArrayLike | None = None,
        materials: Materials = NO_MATERIALS,
        merged: MergedDraws | None = None,
    ) -> UploadedModel:
        """Upload a model and show it; buffers with equal content of the one shown before are reused.

        Parameters
        ----------
        material
            The material number of each batch, for the shading by material, (b,).
        materials
            The materials; `requested_textures` then lists the textures to `provide`.
        merged
            What `merge` makes of the others, if that was done before.
        """
        made_of = model, draws, material, materials.of_draw if materials.rows else None
        before = self._shown.made_of
        if before is not None and _is_same(made_of, before):
            merged = merge_again(self._subject.merged, before[0], model)
        elif merged is None:
            merged = merge(*made_of)
        row = merged.row if materials.rows else np.zeros(len(merged.row), np.int64)
        bindings = self._subject.bindings
        if bindings.rows is not materials.rows or not np.array_equal(bindings.row_of_draw, row):
            bindings = MaterialBindings(self._ctx, self._store, materials, row)
        colored = materials.wear_row_of_draw if materials.rows else material_of_draws(draws, material)
        buffers = ModelBuffers(self._ctx, model, draws, merged, bindings, colored, self._subject)
        return self._uploaded(buffers, made_of)

    def show(self, uploaded: UploadedModel) -> None:
        """Show a model that was loaded before."""
        self._shown = uploaded

    def take_phases(self, states: Sequence[PhaseState]) -> None:
        """Set the phase of each material, one per row of the loaded `Materials`; initially the first."""
        self._subject.bindings.take(states)

    def requested_textures(self, switches: TextureSwitches) -> list[MaterialTexture]:
        """Textures of the materials that are not uploaded yet, the most urgent first."""
        self._subject.bindings.use(switches)
        return list(self._subject.bindings.requested())

    @property
    def texture_limit(self) -> int:
        """The longest side of a texture, for `texels.decode`."""
        return self._store.limit

    @property
    def texture_size(self) -> int:
        """Current size of all textures, bytes."""
        return self._store.size

    def limit_textures(self, capacity: int) -> None:
        """Change the texture budget, bytes; evicted textures are requested again."""
        self._store.resize(capacity)

    @property
    def samples(self) -> tuple[int, ...]:
        """The numbers of samples per pixel that the GPU supports."""
        return tuple(count for count in SAMPLES if count <= max(1, self._ctx.max_samples))

    def provide(self, texels: Texels) -> None:
        """Upload a decoded texture."""
        is_texture = not isinstance(texels.key.texture, MissingResource)
        self._store.put(texels, fades_in=self.fades_in and is_texture)

    @property
    def is_fading(self) -> bool:
        """Whether textures fade in."""
        return self._store.is_fading

    def advance(self, seconds: float) -> None:
        """Let time pass for textures that fade in."""
        self._store.advance(seconds)

    def unload(self) -> None:
        """Show nothing."""
        self._uploaded(nothing(self._ctx))

    def _uploaded(self, buffers: ModelBuffers, made_of: MadeOf | None = None) -> UploadedModel:
        passes = self._layers.of_model(buffers)
        self._shown = UploadedModel(made_of, buffers, passes)
        return self._shown

    @property
    def left_out(self) -> int:
        """Triangles that the last frame, image or id image left out because of its limit."""
        return self._subject.left_out

    @property
    def _subject(self) -> ModelBuffers:
        return self._shown.buffers

    def draw(self, view: ViewState, pose: Pose | None, size: Size) -> DrawnFrame:
        """Draw a frame of `size` pixels into the texture shown on screen, up to the time limit."""
        is_final = self._draw(FrameRequest(self._screen, view, pose, size, self._limit, is_image=False))
        return DrawnFrame(self._screen.texture.glo, self.statistics, is_final)

    def image(
        self,
        view: ViewState,
        pose: Pose | None,
        size: Size,
        *,
        is_transparent: bool = False,
        limit: FrameLimit | None = None,
        line_scale: float = 1.0,
    ) -> npt.NDArray[np.uint8]:
        """An image, (h, w, 4) uint8, top row first, straight alpha; transparent if the background is.

        Parameters
        ----------
        is_transparent
            Leave out background, grid and world axes.
        line_scale
            How much wider lines are than on screen.
        limit
            The work that it may cost; by default that of a frame on screen. `statistics` tells what was
            left out.
        """
        if is_transparent:
            overlays = view.overlays - {Overlay.GRID, Overlay.AXES}
            view = replace(view, background=Background.TRANSPARENT, overlays=overlays)
        fitting = max(1, MOST_SAMPLES // max(1, size[0] * size[1]))
        view = replace(view, samples=min(view.samples, fitting))
        limit = limit or self._limit
        target = self._image_target
        request = FrameRequest(target, view, pose, size, limit, is_image=True, line_scale=line_scale)
        deadline = perf_counter() + limit.seconds
        while not self._draw(request) and perf_counter() < deadline:
            pass
        pixels = target.pixels()
        if size[0] * size[1] > MOST_KEPT:
            self._image_target = RenderTarget(self._ctx)
        return pixels

    def ids(self, view: ViewState, pose: Pose | None, size: Size, limit: FrameLimit | None = None) -> Ids:
        """Node + 1, batch + 1, triangle + 1 of every pixel, background 0: (h, w, 3), top row first.

        `limit` bounds the work, by default like that of a frame on screen.
        """
        return self._picker.ids(self._shot(view, pose, size), limit or self._limit)

    def pick(self, view: ViewState, pose: Pose | None, size: Size, x: int, y: int) -> PickHit | None:
        """The nearest hit at a pixel counted from the top left of a frame of `size`, or None."""
        return self._picker.nearest(self._shot(view, pose, size), x, y)

    def pick_all(self, view: ViewState, pose: Pose | None, size: Size, x: int, y: int) -> list[PickHit]:
        """Hits at a pixel, one per node, the nearest first."""
        return self._picker.hits(self._shot(view, pose, size), x, y)

    def _shot(self, view: ViewState, pose: Pose | None, size: Size) -> Shot:
        self._subject.take(pose)
        self._subject.bindings.draw_as(view.lighting.look)
        return Shot.of(view, self._subject, self._projection(view, size))

    def _projection(self, view: ViewState, size: Size) -> Projection:
        """The projection of the view's camera, with a depth range that contains the whole model.

        The own view has planes of its own.
        """
        camera = view.camera
        reach = max(self._subject.reach(camera.target), camera.distance)
        planes = OWN_VIEW_PLANES if view.drawn.is_own_view else camera.planes
        return Projection.of(replace(camera, reach=reach, planes=planes), (max(1, size[0]), max(1, size[1])))

    def _draw(self, request: FrameRequest) -> bool:
        """Draw a frame or an image; tell whether drawing it again would not show more triangles."""
        subject, view = self._subject, request.view
        subject.take(request.pose)
        subject.bindings.draw_as(view.lighting.look)
        request.target.resize(request.size, view.samples)
        projection = self._projection(view, request.size)
        shown = subject.choose(view)
        started = perf_counter()
        seen = subject.seen(shown.parts, projection) & shown.draws
        work = subject.show_within(request.limit, seen, projection)
        self._block.write(projection)
        subject.matrices.bind()
        framebuffer, pixel_scale = request.target.scene, self.pixel_scale * request.line_scale
        self._run(
            FrameScene(view, subject, shown, projection, framebuffer, pixel_scale, request.is_image),
            request.target,
        )
        if work:
            self._ctx.finish()
            request.limit.learn(work, perf_counter() - started)
        free_dropped(self._ctx)
        self.statistics = _statistics(subject, shown)
        return not subject.left_out or not request.limit.has_grown_from(work)

    def _run(self, scene: FrameScene, target: RenderTarget) -> None:
        target.scene.use()
        target.scene.depth_mask = True
        target.scene.clear(*BACKDROP[scene.view.background])
        for layer in self._shown.passes:
            layer.draw(scene)
        target.resolve()
        resolved = replace(scene, framebuffer=target.resolved, depth=target.depth)
        self._outline.draw(resolved)
        self._flash.draw(resolved)


def _is_same(one: MadeOf, other: MadeOf) -> bool:
    """Whether both give the same triangles in the same order, of the same vertices."""
    is_same = one[1].has_same_triangles(other[1]) and one[0].variant is other[0].variant
    return is_same and all(is_equal(a, b) for a, b in zip(one[2:], other[2:], strict=True))


def free_dropped(ctx: moderngl.Context) -> None:
    """Free unreferenced GL objects; `Context.gc` would stop at an object that was released explicitly."""
    while ctx.objects:
        dropped = ctx.objects.popleft()
        if hasattr(dropped, "release"):
            dropped.release()


def _statistics(subject: ModelBuffers, shown: ShownParts) -> FrameStatistics:
    listed = subject.shown.draws
    requested = int(np.count_nonzero(subject.merged.mask_of(shown.draws)))
    culled = requested - listed.draw_count
    return FrameStatistics(listed.draw_count, culled, listed.triangle_count, subject.left_out)
