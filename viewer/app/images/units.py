"""The images of units: of that in the active tab, and of both sides of a comparison."""

from __future__ import annotations

from collections.abc import Callable

import moderngl

from viewer.app.images.textures import LookImage
from viewer.app.jobs import Jobs
from viewer.errors import error_text
from viewer.render.offscreen import GraphicsError
from viewer.render.unit_renderer import UnitRenderer
from viewer.session.play.unit_posing import UnitLook


class UnitImages:
    """Draws the units that were last looked at; owner: the application, lifetime: its window's context.

    Parameters
    ----------
    note
        Logs why something cannot be shown.
    """

    def __init__(self, ctx: moderngl.Context, jobs: Jobs, note: Callable[[str], None]) -> None:
        self._ctx, self._jobs, self._note = ctx, jobs, note
        self._slots: dict[int, tuple[UnitRenderer, LookImage[UnitLook]]] = {}

    @property
    def has_work(self) -> bool:
        """Whether textures wait for the next frame."""
        return any(image.has_work for _renderer, image in self._slots.values())

    def texture(self, look: UnitLook, slot: int) -> int:
        """The GL name of the image of a look, lowest row first; `draw` fills it in this frame."""
        if slot not in self._slots:  # compiles the shaders of models again: only where units are shown
            renderer = _NotedRenderer(self._ctx, self._note)
            self._slots[slot] = renderer, LookImage(renderer, renderer.load, self._jobs, self._note)
        return self._slots[slot][1].texture(look)

    def draw(self) -> None:
        """Draw the images again in which anything has changed; once a frame, after the panels."""
        for _renderer, image in self._slots.values():
            image.draw()

    def pick(self, look: UnitLook, x: int, y: int) -> int | None:
        """The component at a pixel of the unit in the active tab, counted from the top left, or None."""
        return self._slots[0][0].pick(look, x, y) if 0 in self._slots else None


class _NotedRenderer(UnitRenderer):
    """A renderer that logs what it cannot draw, and shows the rest."""

    def __init__(self, ctx: moderngl.Context, note: Callable[[str], None]) -> None:
        super().__init__(ctx)
        self._note = note

    def draw(self, look: UnitLook) -> int:
        """Draw a look and return the GL name of its image, lowest row first."""
        try:
            return super().draw(look)
        except GraphicsError as error:
            self._note(error_text(error))
            return self.texture
