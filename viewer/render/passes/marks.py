"""Marking of objects, visible or covered: drawn into a mask, then blended with an outline."""

from __future__ import annotations

from functools import cached_property

import moderngl

from viewer.render.passes.colors import Color
from viewer.render.passes.state import set_state
from viewer.render.programs import Programs
from viewer.render.scene import Scene
from viewer.render.targets import USUAL_SAMPLES, Size, usable_samples

MASK_UNIT = 1
"""Texture unit of the mask."""
LINE_WIDTH = 2.0
"""Pixels."""


class Marks:
    """One multisampled channel and its resolved texture; owner: a pass, lifetime: its context.

    Attributes
    ----------
    drawn
        Framebuffer for marked objects without a depth test.
    before
        Framebuffer of the same pixels with the given depth buffer; only set if there is one.
    """

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx = ctx
        self._programs = programs
        self._size: Size = (0, 0)
        self._depth: moderngl.Renderbuffer | None = None

    @cached_property
    def _program(self) -> moderngl.Program:
        return self._programs.get("outline", "outline")

    @cached_property
    def _array(self) -> moderngl.VertexArray:
        return self._ctx.vertex_array(self._program, [])

    def begin(self, size: Size, depth: moderngl.Renderbuffer | None = None) -> None:
        """Clear `drawn` and make it current, with as many samples as the depth buffer."""
        if size != self._size or depth is not self._depth:
            self._make(size, depth)
        self.drawn.use()
        self.drawn.clear()
        set_state(self._ctx, self.drawn, tests_depth=False, writes_depth=False)

    def _make(self, size: Size, depth: moderngl.Renderbuffer | None) -> None:
        self._size, self._depth = size, depth
        samples = usable_samples(self._ctx, USUAL_SAMPLES) if depth is None else depth.samples
        color = self._ctx.renderbuffer(size, 1, samples=samples)
        self._texture = self._ctx.texture(size, 1)
        self._texture.repeat_x = self._texture.repeat_y = False
        self.drawn = self._ctx.framebuffer([color])
        if depth is not None:
            self.before = self._ctx.framebuffer([color], depth)
        self._resolved = self._ctx.framebuffer([self._texture])

    def put_on(self, target: moderngl.Framebuffer, scene: Scene, tint: Color, fill: float = 0.0) -> None:
        """Draw an outline of the marked pixels into an image, filled with the tint at opacity `fill`."""
        self._ctx.copy_framebuffer(self._resolved, self.drawn)
        target.use()
        set_state(self._ctx, target, tests_depth=False, writes_depth=False, is_blended=True)
        self._texture.use(MASK_UNIT)
        self._program["mask"] = MASK_UNIT
        self._program["width"] = LINE_WIDTH * scene.pixel_scale
        self._program["tint"] = tint
        self._program["fill"] = fill
        self._array.render(moderngl.TRIANGLES, vertices=3)
