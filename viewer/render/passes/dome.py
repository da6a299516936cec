"""The dome of a sky behind everything else.

Source: spec/field-notes.md 10.
"""

from __future__ import annotations

import moderngl
import numpy as np

from viewer.model.sky.dome import dome_of
from viewer.render.passes.base import FrameScene, Pass, set_state
from viewer.render.programs import Programs
from viewer.session.view.options.background import Background


class DomePass(Pass):
    """The dome of the sky that lights models, if the view shows it and the eye is somewhere."""

    stages = ("dome", "dome")

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        super().__init__(ctx, programs)
        self._array: moderngl.VertexArray | None = None

    def draw(self, scene: FrameScene) -> None:
        """Draw the dome around the eye; a transparent background stays so."""
        sky, projection = scene.view.lighting.dome, scene.projection
        is_hidden = scene.view.background is Background.TRANSPARENT or scene.view.camera.is_orthographic
        if sky is None or is_hidden:
            return
        # Its colors are those of an hour, so the buffers are made anew when the clock moves, not when the eye
        # does.
        if self._is_other((sky.day, sky.hour)) or self._array is None:
            dome = dome_of(sky.day, sky.hour)
            rows = self._ctx.buffer(np.column_stack([dome.points, dome.colors]).astype(np.float32).tobytes())
            corners = self._ctx.buffer(dome.corners.tobytes())
            content = [(rows, "3f 4f", "in_point", "in_color")]
            self._array = self._ctx.vertex_array(self._program, content, corners)
        set_state(self._ctx, scene.framebuffer, tests_depth=False, writes_depth=False)
        to_eye = np.eye(4)
        to_eye[:3, 3] = projection.eye[:3]
        # Transposed: numpy keeps rows, a mat4 of GLSL columns (spec/animation.md 5).
        matrix = (projection.clip_from_world @ to_eye).T.astype(np.float32)
        self._program["clip_from_eye"].write(matrix.tobytes())  # type: ignore[union-attr] # a uniform
        if scene.portions.is_due():
            self._array.render(moderngl.TRIANGLES)
