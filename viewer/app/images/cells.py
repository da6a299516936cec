"""Pictures of the cells of a model for the contact sheet, drawn again when what they show changes."""

from __future__ import annotations

from typing import Final

import moderngl

from viewer.app.scene_renderer import SceneRenderer
from viewer.control.state import State
from viewer.errors import error_text
from viewer.render.sheets import SheetPainter
from viewer.session.play import posing
from viewer.session.view.cell_sheet import CellSheet, SheetLook, sheet_views
from viewer.session.view.view_state import GROUP_COUNT

STEP_SECONDS: Final = 0.05
"""Time in which a frame draws a part of a sheet that takes longer."""


class CellPictures:
    """Draws the contact sheet that a panel asks for; owner: the application, lifetime: its window's context.

    It shares the renderer and the textures of the scene, whose model it shows.

    Attributes
    ----------
    drawn_count
        The sheets that were begun so far.
    """

    def __init__(self, ctx: moderngl.Context, state: State, scene: SceneRenderer) -> None:
        self._state, self._scene = state, scene
        self._painter = SheetPainter(ctx, scene.renderer)
        self.drawn_count = 0
        self._asked: SheetLook | None = None
        self._begun: SheetLook | None = None
        self._shown: SheetLook | None = None
        self._has_rest = False

    def find(self, look: SheetLook) -> CellSheet | None:
        """A sheet; None until it is drawn. Asked for in every frame."""
        self._asked = look
        if not look.fits(self._shown):
            return None
        unfinished = self._painter.unfinished if self._shown is self._begun else {}
        return CellSheet(self._painter.texture, unfinished)

    @property
    def has_work(self) -> bool:
        """Whether the next frame draws more of a sheet."""
        return self._asked is not None and not self._is_whole(self._asked) and not self._waits

    def _is_whole(self, look: SheetLook) -> bool:
        """Whether all pictures of a sheet are shown and whole."""
        return look.is_like(self._shown) and not (self._shown is self._begun and self._has_rest)

    @property
    def _waits(self) -> bool:
        """Whether the scene is not ready: its textures come first, and the rest of its picture."""
        is_still = not self._state.is_animated
        return self._scene.is_loading or (self._scene.has_further and is_still)

    def update(self) -> None:
        """Draw more of what was asked for; once a frame, before the panels draw."""
        look, self._asked = self._asked, None
        if look is None or self._is_whole(look) or self._waits:
            return
        if look.document is not self._state.document:
            return
        if not look.is_like(self._begun):
            self._begin(look)
        try:
            if self._painter.advance(STEP_SECONDS):
                self._shown = self._begun
            self._has_rest = not self._painter.is_whole
        except moderngl.Error as error:
            self._shown, self._has_rest = self._begun, False
            self._state.note(error_text(error))

    def _begin(self, look: SheetLook) -> None:
        is_cut = self._has_rest and self._shown is self._begun
        if self._shown is not None and (self._shown.size != look.size or is_cut):
            self._shown = None
        self._begun, self._has_rest = look, True
        self.drawn_count += 1
        pose = posing.pose(look.document, look.alone)
        self._painter.begin(sheet_views(look, pose), pose, look.size, GROUP_COUNT)
