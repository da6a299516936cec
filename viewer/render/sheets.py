"""Sheets: several views of the loaded model side by side in one texture."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Final

import moderngl
from msgspec.structs import replace

from viewer.model.mesh.pose.animation import Pose
from viewer.render.portions import Drawing, Frame
from viewer.render.renderer import Renderer
from viewer.render.targets import RenderTarget
from viewer.session.view.camera import Size
from viewer.session.view.view_state import ViewState

SLOW_SECONDS: Final = 1.0
"""Drawing time after which a view waits until all others are whole, seconds."""


class SheetPainter:
    """Draws sheets with a renderer; owner: the caller, lifetime: the renderer's context. Main thread only.

    The texture shows the sheet before until the next one is whole but for its slow views, unless that has
    another size.
    """

    def __init__(self, ctx: moderngl.Context, renderer: Renderer) -> None:
        self._renderer = renderer
        self._target = RenderTarget(ctx)
        self._left: dict[int, Drawing] = {}

    def begin(self, views: Sequence[ViewState], pose: Pose, cell: Size, columns: int) -> None:
        """Begin a sheet of views, row by row from the top left, each `cell` pixels large."""
        width, height = cell
        # Rounded up: 7 views in 3 columns have 3 rows.
        rows = -(-len(views) // columns)
        sheet = width * columns, height * rows
        self._left = {}
        for number, view in enumerate(views):
            row, column = divmod(number, columns)
            # OpenGL counts rows from below.
            corner = width * column, height * (rows - 1 - row)
            drawing = self._renderer.begin_image(Frame(view, pose, cell))
            self._left[number] = replace(
                drawing, target=self._target, sheet=sheet, corner=corner, is_image=False
            )

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the sheet that was begun last is missing."""
        return not self._left

    @property
    def unfinished(self) -> dict[int, float]:
        """The share that is drawn of each view that is not whole, by its number."""
        portions = {number: drawing.portions for number, drawing in self._left.items()}
        return {number: it.drawn / max(it.total, 1) for number, it in portions.items()}

    def advance(self, seconds: float) -> bool:
        """Draw more of the sheet for about some time; whether all but its slow views are whole."""
        end = perf_counter() + seconds
        while self._left:
            # False sorts before True: the slow views come last, in their order.
            number = min(self._left, key=lambda it: (self._is_slow(it), it))
            drawing = self._left[number]
            self._renderer.advance_drawing(drawing, max(0.0, end - perf_counter()))
            if drawing.portions.is_whole:
                del self._left[number]
            if perf_counter() >= end:
                break
        is_shown = all(map(self._is_slow, self._left))
        if is_shown:
            self._target.resolve()
        return is_shown

    def _is_slow(self, number: int) -> bool:
        return self._left[number].portions.seconds > SLOW_SECONDS

    @property
    def texture(self) -> int:
        """The GL name of the texture, lowest row first, whose colors have premultiplied alpha."""
        return int(self._target.texture.glo)
