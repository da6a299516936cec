"""Marks of the selection and of flashing batches: outlines, tints, and a diamond around a vertex."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

import moderngl
import numpy as np

from viewer.geometry.transforms import Mask
from viewer.model.mesh.draws import NO_BATCH
from viewer.render.buffers.model_buffers import ModelBuffers
from viewer.render.buffers.upload import Submission
from viewer.render.passes.base import (
    BATCH,
    FLASH,
    SELECTION,
    TOWARDS_EYE,
    TRIANGLE,
    VERTEX,
    Color,
    FrameScene,
    Pass,
    faded,
    set_state,
)
from viewer.render.passes.lines import LineBatch, diamond
from viewer.render.passes.textured import Coverage
from viewer.render.programs import MASK_UNIT, Programs
from viewer.render.targets import USUAL_SAMPLES, new_texture, usable_samples
from viewer.session.selection import Selection
from viewer.session.view.camera import Size
from viewer.session.view.flash import flash_brightness

LINE_WIDTH: Final = 2.0
"""The width of an outline on screen, pixels."""
FLASH_FILL: Final = 0.7
"""Maximum opacity of the flash inside its outline."""
# The mask of a flash has two levels: COVERED, and 1 where the batch is visible.
COVERED: Final = 0.45
"""Fraction of the opacity where the batch is covered, facing away or cut out."""
VERTEX_SHARE: Final = 0.02
"""Half the size of the mark as a fraction of half the view height at the target."""


class MarkPass(Pass):
    """Objects drawn into a mask of their own, which is then blended into the resolved image with an outline.

    `draw` draws the mask, `blend` the outline: the image is resolved in between, in each frame anew.

    Attributes
    ----------
    mask
        Framebuffer for marked objects, visible or covered: one multisampled channel, no depth test.
    visible_mask
        Framebuffer of the same pixels with the depth buffer of the scene; only set if there is one.
    """

    stages = ("outline", "outline")

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        super().__init__(ctx, programs)
        self._made_for: tuple[object, ...] = ()
        self._is_drawn = False

    @abstractmethod
    def blend(self, scene: FrameScene, image: moderngl.Framebuffer) -> None:
        """Draw the outline into the resolved image, as soon as the mask is whole."""

    def _begin(
        self, scene: FrameScene, marked: Submission | None, depth: moderngl.Renderbuffer | None = None
    ) -> bool:
        """Make the mask current, empty at first, with as many samples as the depth buffer.

        Without marked triangles there is nothing to draw: tell whether there are any.
        """
        self._is_drawn = marked is not None and marked.draws.triangle_count > 0
        if not self._is_drawn:
            return False
        # Kept from frame to frame: keyed by the depth buffer too, as the visible mask shares that of the
        # scene.
        made_for = scene.projection.size, depth, scene.is_coarse
        if made_for != self._made_for:
            self._made_for = made_for
            # All attachments of a framebuffer must have the same number of samples.
            usual = 0 if scene.is_coarse else usable_samples(self._ctx, USUAL_SAMPLES)
            self._resize(scene.projection.size, usual if depth is None else depth.samples, depth)
        self.mask.use()
        if scene.portions.is_due():
            self.mask.clear()
        set_state(self._ctx, self.mask, tests_depth=False, writes_depth=False)
        return True

    def _resize(self, size: Size, samples: int, depth: moderngl.Renderbuffer | None) -> None:
        color = self._ctx.renderbuffer(size, 1, samples=samples)
        self._texture = new_texture(self._ctx, size, 1)
        # Clamped: an object at one border of the image must not get an outline at the opposite one.
        self._texture.repeat_x = self._texture.repeat_y = False
        self.mask = self._ctx.framebuffer([color])
        if depth is not None:
            self.visible_mask = self._ctx.framebuffer([color], depth)
        self._resolved = self._ctx.framebuffer([self._texture])

    def _draw_outline(
        self, scene: FrameScene, image: moderngl.Framebuffer, tint: Color, fill: float = 0.0
    ) -> None:
        """Draw an outline of the pixels of a whole mask, filled with the tint at opacity `fill`."""
        if not self._is_drawn or not scene.portions.is_whole:
            return
        # Copying averages the samples of each pixel, which makes the edge of the outline smooth.
        self._ctx.copy_framebuffer(self._resolved, self.mask)
        image.use()
        set_state(self._ctx, image, tests_depth=False, writes_depth=False, is_blended=True)
        self._texture.use(MASK_UNIT)
        self._program["width"] = LINE_WIDTH * scene.pixel_scale
        self._program["tint"] = tint
        self._program["fill"] = fill
        self._no_inputs.render(moderngl.TRIANGLES, vertices=3)


class OutlinePass(MarkPass):
    """An outline of the selected nodes, drawn into the resolved image even where they are covered."""

    is_cut = True

    def draw(self, scene: FrameScene) -> None:
        """Draw the mask of the selected nodes."""
        nodes, subject = scene.view.selection.nodes, scene.subject
        if nodes and self._is_other((*scene.choice, nodes)):
            subject.select(scene.visible, nodes)
        if self._begin(scene, subject.selected if nodes else None):
            plain = self._programs.get("plain", "plain")
            plain["tint"] = (1.0, 1.0, 1.0, 1.0)
            subject.selected.render(plain, scene.portions)

    def blend(self, scene: FrameScene, image: moderngl.Framebuffer) -> None:
        """Draw the outline of the selected nodes."""
        self._draw_outline(scene, image, SELECTION)


class FlashPass(MarkPass):
    """Flashing batches, drawn into the resolved image: bright where visible, faint where covered."""

    is_cut = True

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        super().__init__(ctx, programs)
        self._visible = Coverage(ctx, programs, "tinted")

    def draw(self, scene: FrameScene) -> None:
        """Draw the mask of the flashing batches."""
        flash, subject = scene.view.flash, scene.subject
        if flash and self._is_other((*scene.choice, flash)):
            subject.flash(scene.visible, flash)
        if not self._begin(scene, subject.flashed if flash else None, scene.depth):
            return
        # All of it faintly first, without a depth test; the visible pixels then overwrite that.
        plain = self._programs.get("plain", "plain")
        plain["tint"] = (COVERED, 0.0, 0.0, 0.0)
        subject.flashed.render(plain, scene.portions)
        self.visible_mask.use()
        set_state(self._ctx, self.visible_mask, writes_depth=False, depth_offset=TOWARDS_EYE)
        self._visible.program["tint"] = (1.0, 0.0, 0.0, 0.0)
        self._visible.render(subject.flashed, subject.bindings, scene.view, scene.portions)

    def blend(self, scene: FrameScene, image: moderngl.Framebuffer) -> None:
        """Draw the outline of what flashes, as bright as it is now."""
        self._draw_outline(scene, image, faded(FLASH, flash_brightness(scene.view)), FLASH_FILL)


class HighlightPass(Pass):
    """The selected batch and triangle, tinted where they are visible."""

    stages = ("plain", "plain")
    is_cut = True

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        super().__init__(ctx, programs)
        self._coverage = Coverage(ctx, programs, "tinted")
        self._triangles: list[int] = []

    def draw(self, scene: FrameScene) -> None:
        """Tint the selected batch and triangle."""
        selection, subject = scene.view.selection, scene.subject
        if selection.node is None or (selection.batch is None and selection.triangle is None):
            return
        if self._is_other((*scene.choice, selection)):
            draws = _selected_draws(subject, selection) & scene.visible
            subject.highlighted.show(subject.merged.mask_of(draws))
            self._triangles = _selected_triangles(subject, selection, draws)
        set_state(self._ctx, scene.framebuffer, writes_depth=False, is_blended=True, depth_offset=TOWARDS_EYE)
        if selection.batch is not None:
            self._coverage.program["tint"] = BATCH
            self._coverage.render(subject.highlighted, subject.bindings, scene.view, scene.portions)
        self._program["tint"] = TRIANGLE
        for triangle in self._triangles:
            subject.highlighted.render_triangle(self._program, triangle, scene.portions)


def _selected_draws(subject: ModelBuffers, selection: Selection) -> Mask:
    draws = subject.draws
    # Terrain has no batches: a triangle that is selected without one is among the draws without one.
    batch = NO_BATCH if selection.batch is None else selection.batch
    chosen: Mask = (draws.node == selection.node) & (draws.batch == batch)
    return chosen if selection.slot is None else chosen & (draws.slot == selection.slot)


def _selected_triangles(subject: ModelBuffers, selection: Selection, draws: Mask) -> list[int]:
    """Merged triangles of the selected triangle, in the chosen draws (d,)."""
    if selection.triangle is None:
        return []
    merged = subject.merged
    found = []
    for at in np.flatnonzero(merged.mask_of(draws)).tolist():
        start, end = subject.draws.triangle_start[merged.draw[at] :][:2]
        rows = np.flatnonzero(subject.draws.triangle[start:end] == selection.triangle)
        found += (rows + merged.triangle_start[at]).tolist()
    return found


class VertexPass(Pass):
    """A diamond around the selected vertex, drawn over the model."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        super().__init__(ctx, programs)
        self._lines = LineBatch(ctx, programs, diamond())

    def draw(self, scene: FrameScene) -> None:
        """Draw the mark if a vertex of a shown node is selected."""
        selection, model = scene.view.selection, scene.subject.model
        node, vertex = selection.node, selection.vertex
        # The selection may name rows that an edit has removed.
        if vertex is None or node is None or vertex >= model.vertex_count or node >= model.node_count:
            return
        if not scene.shown.kept[node]:
            return
        if self._is_other((node, vertex)):
            self._lines.set_instances(node, model.positions[vertex])
        self._set_line_state(scene, is_hidden_by_model=False)
        size = VERTEX_SHARE * scene.view.camera.half_height
        self._lines.render(scene, LINE_WIDTH, tint=VERTEX, stretch=size)
