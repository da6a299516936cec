"""Batches that flash: bright where they are seen, faint where something covers them."""

from __future__ import annotations

import moderngl

from viewer.render.coverage import Coverage
from viewer.render.passes.colors import FLASH, faded
from viewer.render.passes.state import TOWARDS_EYE, set_state
from viewer.render.programs import Programs
from viewer.render.scene import MASK_UNIT, Scene
from viewer.render.targets import Mask, Target
from viewer.session.flash import brightness

FILL = 0.7
"""Opacity of the flash at its brightest, inside its rim."""
COVERED = 0.45
"""What is left of it where the batch is covered, turned away or cut out."""
RIM = 2.0
"""Pixels."""


class FlashPass:
    """What flashes, drawn into the resolved picture over all else."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx = ctx
        self._anywhere = programs.get("plain", "plain")
        self._seen = Coverage(ctx, programs, "tinted")
        self._program = programs.get("outline", "flash")
        self._array = ctx.vertex_array(self._program, [])
        self._mask = Mask(ctx)

    def draw(self, scene: Scene, target: Target) -> None:
        """Draw the flash of a scene that has been drawn into a target."""
        subject = scene.subject
        if not scene.view.flash:
            return
        subject.flash(scene.chosen, scene.view.flash)
        if not subject.flashed.draws.triangle_count:
            return
        self._draw_mask(scene, target)
        target.resolved.use()
        set_state(self._ctx, target.resolved, tests_depth=False, writes_depth=False, is_blended=True)
        self._mask.texture.use(MASK_UNIT)
        self._program["mask"] = MASK_UNIT
        self._program["width"] = RIM * scene.pixel_scale
        self._program["fill"] = FILL
        self._program["tint"] = faded(FLASH, brightness(scene.view))
        self._array.render(moderngl.TRIANGLES, vertices=3)

    def _draw_mask(self, scene: Scene, target: Target) -> None:
        subject, mask = scene.subject, self._mask
        mask.resize(scene.projection.size, target.depth)
        mask.drawn.use()
        mask.drawn.clear()
        set_state(self._ctx, mask.drawn, tests_depth=False, writes_depth=False)
        self._anywhere["tint"] = (COVERED, 0.0, 0.0, 0.0)
        subject.flashed.render(self._anywhere)
        mask.before.use()
        set_state(self._ctx, mask.before, writes_depth=False, depth_offset=TOWARDS_EYE)
        self._seen.program["tint"] = (1.0, 0.0, 0.0, 0.0)
        self._seen.render(subject.flashed, subject.skin, scene.view)
        mask.resolve()
