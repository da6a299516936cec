"""Sheets: several views of the loaded model side by side in one texture."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Final

import moderngl

from viewer.dataclass import replace
from viewer.model.mesh.animation import Pose
from viewer.render.portions import Drawing
from viewer.render.renderer import Renderer
from viewer.render.targets import RenderTarget, Size
from viewer.session.view.view_state import ViewState

MOST_SECONDS: Final = 5.0
"""Drawing time after which a view stays incomplete, seconds."""


class SheetPainter:
    """Draws sheets with a renderer; owner: the caller, lifetime: the renderer's context. Main thread only.

    The texture shows the sheet before until the next one is whole, unless that has another size.
    """

    def __init__(self, ctx: moderngl.Context, renderer: Renderer) -> None:
        self._renderer = renderer
        self._target = RenderTarget(ctx)
        self._left: list[Drawing] = []

    def begin(self, views: Sequence[ViewState], pose: Pose, cell: Size, columns: int) -> None:
        """Begin a sheet of views, row by row from the top left, each `cell` pixels large."""
        width, height = cell
        rows = -(-len(views) // columns)
        sheet = width * columns, height * rows
        self._left = []
        for number, view in enumerate(views):
            row, column = divmod(number, columns)
            corner = width * column, height * (rows - 1 - row)
            drawing = self._renderer.begin_image(view, pose, cell)
            placed = replace(drawing, target=self._target, sheet=sheet, corner=corner, is_image=False)
            self._left.append(placed)

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the sheet that was begun last is missing."""
        return not self._left

    def advance(self, seconds: float) -> bool:
        """Draw more of the sheet for about some time; tell whether it has become whole."""
        end = perf_counter() + seconds
        while self._left:
            left = end - perf_counter()
            if left <= 0:
                return False
            drawing = self._left[0]
            self._renderer.advance_drawing(drawing, left)
            if drawing.portions.is_whole or drawing.portions.seconds > MOST_SECONDS:
                del self._left[0]
        self._target.resolve()
        return True

    @property
    def texture(self) -> int:
        """The GL name of the texture, lowest row first, whose colors have premultiplied alpha."""
        return int(self._target.texture.glo)
