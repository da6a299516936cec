"""Batches that flash: bright where visible, faint where covered."""

from __future__ import annotations

from functools import cached_property

import moderngl

from viewer.render.buffers.coverage import Coverage
from viewer.render.passes.colors import FLASH, faded
from viewer.render.passes.marks import Marks
from viewer.render.passes.state import TOWARDS_EYE, set_state
from viewer.render.programs import Programs
from viewer.render.scene import Scene
from viewer.render.targets import Target
from viewer.session.view.flash import brightness

FILL = 0.7
"""Maximum opacity of the flash inside its outline."""
COVERED = 0.45
"""Fraction of the opacity where the batch is covered, facing away or cut out."""


class FlashPass:
    """Flashing batches, drawn into the resolved image on top of everything."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx = ctx
        self._programs = programs
        self._seen = Coverage(ctx, programs, "tinted")
        self._marks = Marks(ctx, programs)

    @cached_property
    def _anywhere(self) -> moderngl.Program:
        return self._programs.get("plain", "plain")

    def draw(self, scene: Scene, target: Target) -> None:
        """Draw the flash of a scene whose other layers are in `target`."""
        subject = scene.subject
        if not scene.view.flash:
            return
        subject.flash(scene.visible, scene.view.flash)
        if not subject.flashed.draws.triangle_count:
            return
        self._mark(scene, target)
        self._marks.put_on(target.resolved, scene, faded(FLASH, brightness(scene.view)), FILL)

    def _mark(self, scene: Scene, target: Target) -> None:
        """Mark all of it faintly, then the visible part in full."""
        subject, marks = scene.subject, self._marks
        marks.begin(scene.projection.size, target.depth)
        self._anywhere["tint"] = (COVERED, 0.0, 0.0, 0.0)
        subject.flashed.render(self._anywhere)
        marks.before.use()
        set_state(self._ctx, marks.before, writes_depth=False, depth_offset=TOWARDS_EYE)
        self._seen.program["tint"] = (1.0, 0.0, 0.0, 0.0)
        self._seen.render(subject.flashed, subject.bindings, scene.view)
