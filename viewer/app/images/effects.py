"""The image of the effect in the active tab, and its textures."""

from __future__ import annotations

from collections.abc import Callable

import moderngl

from viewer.app.images.textures import TextureFeed
from viewer.app.jobs import Jobs
from viewer.render.effect_renderer import EffectRenderer
from viewer.resources import bundled_path
from viewer.session.view.effect_look import EffectLook


class EffectImages:
    """Draws the effect that was last looked at; owner: the application, lifetime: its window's context.

    Parameters
    ----------
    note
        Logs why a texture cannot be shown.
    """

    def __init__(self, ctx: moderngl.Context, jobs: Jobs, note: Callable[[str], None]) -> None:
        self._renderer = EffectRenderer(ctx, bundled_path("shaders"))
        self._feed = TextureFeed(self._renderer, jobs, note)
        self._requested: EffectLook | None = None
        self._drawn: EffectLook | None = None
        self._texture = 0

    @property
    def has_work(self) -> bool:
        """Whether textures wait for the next frame."""
        return self._requested is not None and self._feed.has_work

    def texture(self, look: EffectLook) -> int:
        """The GL name of the image of a look, lowest row first; `draw` fills it in this frame."""
        is_other_size = self._drawn is None or self._drawn.size != look.size
        self._requested = look
        if is_other_size:
            self._draw(look)
        return self._texture

    def draw(self) -> None:
        """Draw the image again if anything in it has changed; once a frame, after the panels."""
        look, self._requested = self._requested, None
        if look is None:
            return
        self._renderer.load(look.materials)
        has_new_textures = self._feed.update(look.view)
        if has_new_textures or not look.is_like(self._drawn):
            self._draw(look)

    def _draw(self, look: EffectLook) -> None:
        self._texture, self._drawn = self._renderer.draw(look), look
