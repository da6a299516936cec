"""Rendering a view of a model: the frame on screen, images, id images, picking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import moderngl
import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.model.effects.moment import NO_LIGHTS
from viewer.model.material.materials import NO_MATERIALS, Materials, MissingResource
from viewer.model.material.phases import PhaseState
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import Reading
from viewer.render.buffers import merge
from viewer.render.buffers.merge import MergedDraws
from viewer.render.buffers.model_buffers import ModelBuffers, nothing
from viewer.render.passes.base import FrameScene, Pass, backdrop
from viewer.render.passes.ids import Ids, Picker, Shot
from viewer.render.passes.layers import Layers
from viewer.render.passes.marks import FlashPass, OutlinePass
from viewer.render.portions import LONGEST, Drawing, DrawnFrame, Frame, Pace, Portions
from viewer.render.programs import FrameBlock, Programs, Projection, cut
from viewer.render.targets import RenderTarget, free_dropped, usable_samples
from viewer.render.textures.material_bindings import MaterialBindings
from viewer.render.textures.texels import MaterialTexture, Texels
from viewer.render.textures.texture_store import CAPACITY, TextureStore
from viewer.session.program import FrameStatistics
from viewer.session.selection import PickHit
from viewer.session.view.camera import Camera
from viewer.session.view.options.background import Background
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.section import plane_of
from viewer.session.view.options.textures import TextureSwitches
from viewer.session.view.view_state import OWN_VIEW_PLANES, SAMPLES

if TYPE_CHECKING:
    from viewer.render.effect_layer import EffectLayer
    from viewer.session.opened.document import Document

FRAME_SECONDS: Final = 0.02
"""Time of a part of a picture: with the panels, some 25 ms on two cores, there are 20 frames a second."""
SMOOTH_SECONDS: Final = 0.03
"""Time of a whole frame up to which it has all of its samples at once."""
SAMPLE_COST: Final = 16
"""Largest ratio of the time of a frame with all samples to that of one with a single sample."""
REFINED_SECONDS: Final = 2.0
"""Time of a still frame with one sample up to which it is drawn again with all."""
IMAGE_SECONDS: Final = 60.0
"""Time limit of an image."""
FIRST_OF_IMAGE: Final = 512
"""Triangles of the first portion of an image, which no frame waits for."""
MOST_SAMPLES: Final = 1 << 26
"""Samples of an image: one that is very large has fewer per pixel."""
MOST_KEPT: Final = 1 << 22
"""Pixels of a target that is kept for the next image."""


class UploadedModel(Struct, frozen=True, eq=False):
    """A model on the graphics card and the layers that draw it; owner: the caller of `Renderer.load`."""

    made_of: merge.MadeOf | None
    buffers: ModelBuffers
    passes: tuple[Pass, ...]


def sample_counts(ctx: moderngl.Context) -> tuple[int, ...]:
    """The numbers of samples per pixel that the GPU supports."""
    return tuple(count for count in SAMPLES if count == max(1, usable_samples(ctx, count)))


class Renderer:
    """The resources on the graphics card; owner: app, lifetime: its context. Main thread only.

    Parameters
    ----------
    ctx
        A context of OpenGL 3.3 core or newer. Its garbage is collected once a frame.
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

    def __init__(self, ctx: moderngl.Context, texture_capacity: int = CAPACITY) -> None:
        ctx.gc_mode = "context_gc"
        self.pixel_scale = 1.0
        self.fades_in = False
        self._ctx = ctx
        self._programs = Programs.of(ctx)
        self._block = FrameBlock(ctx)
        self.statistics = FrameStatistics()
        self._projected: tuple[tuple[object, ...], Projection] = (), Projection.of(Camera(), (1, 1))
        self._is_smooth = True
        self._on_screen: Drawing | None = None
        self._screen, self._image_target = RenderTarget(ctx), RenderTarget(ctx)
        self._picker = Picker(ctx, self._programs, self._block)
        self._store = TextureStore(ctx, texture_capacity)
        self._marks = OutlinePass(ctx, self._programs), FlashPass(ctx, self._programs)
        self._effects: EffectLayer | None = None
        self._layers = Layers(ctx, self._programs)
        self.unload()

    def load(
        self,
        model: Model,
        draws: Draws,
        material: npt.ArrayLike | None = None,
        materials: Materials = NO_MATERIALS,
        merged: MergedDraws | None = None,
        reading: Reading | None = None,
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
        reading
            That of the measured bounds of the header; without one they are not shown.
        """
        made_of = model, draws, material, materials.of_draw if materials.rows else None
        before, pace = self._shown.made_of, None
        # An edit of positions or coordinates keeps all triangles: the tables that did not change stay on the
        # card.
        if before is not None and merge.has_same_triangles(made_of, before):
            merged, pace = merge.merge_again(self._subject.merged, before[0], model), self._pace
        elif merged is None:
            merged = merge.merge(*made_of)
        row = merged.row if materials.rows else np.zeros(len(merged.row), np.int64)
        bindings = self._subject.bindings
        if bindings.rows is not materials.rows or not np.array_equal(bindings.row_of_draw, row):
            bindings = MaterialBindings(self._ctx, self._store, materials, row)
        colored = materials.wear_row_of_draw if materials.rows else merge.material_of_draws(draws, material)
        buffers = ModelBuffers(self._ctx, model, draws, merged, bindings, colored, self._subject)
        buffers.reading = reading
        return self._uploaded(buffers, made_of, pace)

    def load_document(self, document: Document, merged: MergedDraws | None = None) -> UploadedModel:
        """Upload the model of a document, in its reading and its materials, and show it."""
        model, draws, material, _row = merge.made_of(document)
        drawn = document.drawn_materials.materials
        return self.load(model, draws, material, drawn, merged, document.choice.reading)

    def show(self, uploaded: UploadedModel) -> None:
        """Show a model that was loaded before."""
        # Speeds were measured with the model before; those of an image are apart, as its first portion is
        # larger.
        self._shown, self._on_screen = uploaded, None
        self._pace, self._image_pace = Pace(), Pace(FIRST_OF_IMAGE)

    def take_phases(self, states: Sequence[PhaseState]) -> None:
        """Set the phase of each material, one per row of the loaded `Materials`; initially the first."""
        self._subject.bindings.take(states)

    def requested_textures(self, switches: TextureSwitches) -> list[MaterialTexture]:
        """Textures of the materials that are not uploaded yet, the most urgent first."""
        self._subject.bindings.use(switches)
        of_effects = self._effects.requested_textures(switches) if self._effects else ()
        return [*self._subject.bindings.requested(), *of_effects]

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
        """Replace the shown model by an empty one."""
        self._uploaded(nothing(self._ctx))

    def _uploaded(
        self, buffers: ModelBuffers, made_of: merge.MadeOf | None = None, pace: Pace | None = None
    ) -> UploadedModel:
        self.show(UploadedModel(made_of, buffers, self._layers.of_model(buffers)))
        self._pace = pace or self._pace  # an edited model is drawn as fast as before
        return self._shown

    @property
    def _subject(self) -> ModelBuffers:
        return self._shown.buffers

    @property
    def is_holding(self) -> bool:
        """Whether the picture before is on screen while the next one is drawn; what changes has to wait."""
        return self._on_screen is not None and self._on_screen.is_held

    def draw(self, frame: Frame) -> DrawnFrame:
        """Draw another picture, or its first part, into the texture shown on screen."""
        before = self._on_screen
        drawing = Drawing(
            self._screen,
            frame,
            self._portions(),
            is_coarse=not self._is_smooth and frame.view.samples > 1,
            follows_whole=before is not None
            and before.frame.size == frame.size
            and (before.portions.is_whole or not before.is_shown),
        )
        self._begin_on_screen(drawing)
        return self._advance(FRAME_SECONDS if self._pace.is_slow else LONGEST)

    def draw_further(self) -> DrawnFrame:
        """Draw more of the picture on screen; one that is whole is drawn again with all samples.

        One that turns out to be slow begins anew with a single sample.
        """
        drawing = self._on_screen
        assert drawing is not None
        is_coarse = drawing.is_coarse or drawing.frame.view.samples == 1
        if drawing.portions.is_whole:
            refined = replace(drawing, is_coarse=False, is_refined=True, follows_whole=False)
            self._begin_on_screen(replace(refined, portions=self._portions()))
        elif not (is_coarse or drawing.is_refined or self._is_smooth):
            self._begin_on_screen(replace(drawing, is_coarse=True, portions=self._portions()))
        return self._advance(FRAME_SECONDS)

    def _portions(self) -> Portions:
        return Portions(self._pace, self._ctx.finish)

    def _begin_on_screen(self, drawing: Drawing) -> None:
        camera = drawing.frame.view.camera
        # Samples of an area of the view plane that is one model unit wide and high.
        self._pace.expect(drawing.samples * (drawing.frame.size[1] / max(camera.half_height, 1e-30)) ** 2)
        self._on_screen = drawing

    def _advance(self, seconds: float) -> DrawnFrame:
        """Draw more of what is on screen, and choose the samples of the next picture by the time of this."""
        drawing = self._on_screen
        assert drawing is not None
        self.advance_drawing(drawing, seconds)
        portions = drawing.portions
        # Two limits, so that it does not change from frame to frame: all samples until a frame takes more
        # than 30 ms, and again all once one with a single sample takes less than 30 / 16 = 1.9 ms.
        share = SMOOTH_SECONDS / SAMPLE_COST if drawing.is_coarse else SMOOTH_SECONDS
        if portions.is_whole or portions.seconds > share:
            self._is_smooth = portions.seconds <= share
        is_final = portions.is_whole and (not drawing.is_coarse or portions.seconds > REFINED_SECONDS)
        return DrawnFrame(self._screen.texture.glo, self.statistics, is_final)

    def begin_image(self, frame: Frame, *, is_transparent: bool = False, line_scale: float = 1.0) -> Drawing:
        """An image of which nothing is drawn yet; see `image`."""
        view, (width, height) = frame.view, frame.size
        if is_transparent:
            overlays = view.overlays - {Overlay.GRID, Overlay.AXES}
            view = replace(view, background=Background.TRANSPARENT, overlays=overlays)
        # A large image has as many samples a pixel as fit a limit of all samples.
        fitting = max(1, MOST_SAMPLES // max(1, width * height))
        frame = replace(frame, view=replace(view, samples=min(view.samples, fitting)))
        if self._on_screen is not None and not self._on_screen.portions.is_whole:
            # Both draw marks into the same buffers, so the picture on screen begins anew.
            self._on_screen = replace(self._on_screen, portions=self._portions())
        portions = Portions(self._image_pace, self._ctx.finish)
        return Drawing(self._image_target, frame, portions, is_image=True, line_scale=line_scale)

    def advance_image(self, drawing: Drawing, seconds: float) -> npt.NDArray[np.uint8] | None:
        """Draw more of the image that was begun last: its pixels, None while it is not whole."""
        self.advance_drawing(drawing, seconds)
        return self._pixels(drawing) if drawing.portions.is_whole else None

    def _pixels(self, drawing: Drawing) -> npt.NDArray[np.uint8]:
        pixels, (width, height) = drawing.target.pixels(), drawing.frame.size
        if width * height > MOST_KEPT:
            self._image_target = RenderTarget(self._ctx)
        return pixels

    def image(
        self,
        frame: Frame,
        *,
        is_transparent: bool = False,
        line_scale: float = 1.0,
        seconds: float = IMAGE_SECONDS,
    ) -> npt.NDArray[np.uint8]:
        """An image, (h, w, 4) uint8, top row first, straight alpha; transparent if the background is.

        Raises `DrawingTimeError` if it takes longer than some seconds.

        Parameters
        ----------
        is_transparent
            Leave out background, grid and world axes.
        line_scale
            How much wider lines are than on screen.
        """
        drawing = self.begin_image(frame, is_transparent=is_transparent, line_scale=line_scale)
        self.advance_drawing(drawing, seconds)
        drawing.portions.check(seconds)
        return self._pixels(drawing)

    def ids(self, frame: Frame, seconds: float = IMAGE_SECONDS) -> Ids:
        """Node + 1, batch + 1, triangle + 1 of every pixel, background 0: (h, w, 3), top row first.

        Raises `DrawingTimeError` if that takes longer than some seconds.
        """
        return self._picker.ids(self._shot(frame), seconds)

    def pick(self, frame: Frame, x: int, y: int) -> PickHit | None:
        """The nearest hit at a pixel counted from the top left of a frame, or None."""
        return self._picker.nearest(self._shot(frame), x, y)

    def hit(self, frame: Frame, x: int, y: int) -> PickHit | None:
        """The hit in `ids` at a pixel, slower than `pick`, which may differ at edges; raises like `ids`."""
        return self._picker.exact(self._shot(frame), x, y, IMAGE_SECONDS)

    def pick_all(self, frame: Frame, x: int, y: int) -> list[PickHit]:
        """Hits at a pixel, one per node, the nearest first."""
        return self._picker.hits(self._shot(frame), x, y)

    def _shot(self, frame: Frame) -> Shot:
        self._subject.take(frame.pose)
        self._subject.bindings.draw_as(frame.view.lighting.look)
        return Shot.of(frame.view, self._subject, self._projection(frame))

    def _projection(self, frame: Frame, reach_of_effects: float = 0.0) -> Projection:
        """The projection of the view's camera, with a depth range that contains the whole model.

        The own view has planes of its own.
        """
        view, camera, (width, height) = frame.view, frame.view.camera, frame.size
        away = max((self._subject.distance(ghost.pose) for ghost in frame.ghosts), default=0.0)
        reach = max(self._subject.reach(camera.target) + away, reach_of_effects, camera.distance)
        planes = OWN_VIEW_PLANES if view.drawn.is_own_view else camera.planes
        # The same object while nothing changes: `FrameBlock` compares by identity, and the planes of its
        # frustum are computed once.
        section = plane_of(view)
        made_of = camera, reach, planes, frame.size, section
        if made_of != self._projected[0]:
            seen = replace(camera, reach=reach, planes=planes)
            self._projected = made_of, Projection.of(seen, (max(1, width), max(1, height)), section)
        return self._projected[1]

    def _show_effects(self, drawing: Drawing) -> float:
        """Set the effects of a picture, and return how far their sprites reach from the camera's target."""
        if drawing.frame.effects and self._effects is None:
            from viewer.render.effect_layer import EffectLayer  # noqa: PLC0415 not needed without effects

            self._effects = EffectLayer(self._ctx, self._programs, self._store)
            self._layers.effects.made = self._effects.sprites, self._effects.points
        if self._effects is None:
            return 0.0
        return self._effects.show(drawing.frame, self._subject, is_over=drawing.is_over)

    def advance_drawing(self, drawing: Drawing, seconds: float) -> None:
        """Draw more of a frame or an image."""
        subject, frame, target, portions = self._subject, drawing.frame, drawing.target, drawing.portions
        view = frame.view
        subject.take(frame.pose)
        subject.bindings.draw_as(view.lighting.look)
        target.resize(drawing.sheet or frame.size, drawing.samples)
        place = (*drawing.corner, *frame.size)
        target.scene.viewport = place
        projection = self._projection(frame, self._show_effects(drawing))
        shown = subject.choose(view)
        subject.show(subject.seen(shown.parts, projection) & shown.draws)
        self._block.write(projection)
        subject.matrices.bind()
        scene = FrameScene(
            view,
            subject,
            shown,
            projection,
            target.scene,
            self.pixel_scale * drawing.line_scale,
            drawing.is_image,
            drawing.is_coarse,
            target.depth,
            portions,
            frame.ghosts,
            self._effects.lights if self._effects else NO_LIGHTS,
            frame.around,
        )
        if not portions.drawn:
            target.scene.use()
            # Without it clearing would leave the depths as the last pass of the frame before left them.
            target.scene.depth_mask = True
            if not drawing.is_over:
                target.scene.clear(*backdrop(view), viewport=place)
        portions.begin(seconds)
        self._run(scene, drawing)
        if drawing.is_shown:
            self.statistics = scene.statistics
        free_dropped(self._ctx)

    def _run(self, scene: FrameScene, drawing: Drawing) -> None:
        target = drawing.target
        target.scene.use()
        # All passes run in each portion: `Portions` passes over the calls that earlier ones have made.
        for layer in (*self._shown.passes, *self._marks):
            with cut(self._ctx, scene.projection if layer.is_cut else None):
                layer.draw(scene)
        portions, is_whole = drawing.portions, drawing.portions.is_whole
        if not is_whole:
            portions.end()
        if drawing.is_shown:
            target.resolve()
            for mark in self._marks:
                mark.blend(scene, target.resolved)
        if is_whole:  # resolving many samples may take longer than drawing them
            portions.end()
