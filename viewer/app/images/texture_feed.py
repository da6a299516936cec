"""Textures decoded in worker threads, a few uploaded per frame, and the image of one material with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

import moderngl

from viewer.app.jobs import Jobs
from viewer.errors import error_text
from viewer.model.material.materials import MissingResource
from viewer.progress import Cancelled
from viewer.render.material_preview import MaterialPreview
from viewer.render.textures import texels
from viewer.render.textures.texels import MaterialTexture, TexelKey, Texels
from viewer.resources import bundled_path
from viewer.session.view.material_look import MaterialLook
from viewer.session.view.texture_switches import TextureSwitches
from viewer.session.view.view_state import ViewState
from viewer.translation import _

UPLOADS_PER_FRAME: Final = 2
MOST_AT_ONCE: Final = 4
"""Textures decoded at a time, so that opening a file does not wait for all of them."""


class TextureUser(Protocol):
    """What draws with textures: the renderer of models, or that of single materials."""

    def requested_textures(self, switches: TextureSwitches) -> list[MaterialTexture]:
        """Textures that are not uploaded yet, the most urgent first."""

    @property
    def texture_limit(self) -> int:
        """The longest side of a texture."""

    def provide(self, texels: Texels) -> None:
        """Upload a decoded texture."""


class TextureFeed:
    """Provides the textures that the renderer requests; owner: the scene renderer, main thread only.

    Parameters
    ----------
    note
        Logs why a texture cannot be shown.
    """

    def __init__(self, renderer: TextureUser, jobs: Jobs, note: Callable[[str], None]) -> None:
        self._renderer = renderer
        self._jobs = jobs
        self._note = note
        self._decoded: list[Texels] = []
        self._asked: set[TexelKey] = set()
        self._refused: set[TexelKey] = set()
        self._cancelled: set[TexelKey] = set()

    @property
    def has_work(self) -> bool:
        """Whether decoded textures wait for their upload."""
        return bool(self._decoded)

    @property
    def is_waiting(self) -> bool:
        """Whether textures are being decoded or wait for their upload."""
        return bool(self._asked)

    def update(self, view: ViewState) -> bool:
        """Upload a few textures and start decoding more; tell whether the image changes."""
        ready = self._decoded[:UPLOADS_PER_FRAME]
        del self._decoded[:UPLOADS_PER_FRAME]
        for decoded in ready:
            self._renderer.provide(decoded)
            self._asked.discard(decoded.key)
        self._ask(view)
        return bool(ready)

    def retry(self) -> None:
        """Decode textures that were cancelled after all: another document was opened."""
        self._cancelled.clear()

    def _ask(self, view: ViewState) -> None:
        """Start decoding the most urgent textures that are not pending."""
        for picture in self._renderer.requested_textures(view.textures):
            key = texels.key_of(picture, view.textures)
            if len(self._asked) >= MOST_AT_ONCE:
                return
            if key in self._asked or key in self._cancelled:
                continue
            # A damaged texture gets a label as its pixels, under its own key, so it is not asked for again.
            if key not in self._refused:
                self._decode(picture, key, view)
            elif not isinstance(picture, MissingResource):
                self._asked.add(key)
                self._decoded.append(texels.stand_in(key, MissingResource("damaged texture", picture.name)))

    def _decode(self, picture: MaterialTexture, key: TexelKey, view: ViewState) -> None:
        limit, switches = self._renderer.texture_limit, view.textures
        self._asked.add(key)
        self._jobs.start(
            f"texture {key}",
            "" if isinstance(picture, MissingResource) else _("Decoding {name}…").format(name=picture.name),
            lambda _: texels.decode(picture, switches, limit),
            self._decoded.append,
            lambda error: self._refuse(key, picture, error),
        )

    def _refuse(self, key: TexelKey, picture: MaterialTexture, error: BaseException) -> None:
        """Remember a texture that cannot be decoded; a label in its place says that it is damaged."""
        self._asked.discard(key)
        if isinstance(error, Cancelled):
            self._cancelled.add(key)
            return
        self._refused.add(key)
        words = _("texture {name} cannot be shown: {error}")
        self._note(words.format(name=picture.name, error=error_text(error)))


class MaterialImages:
    """Draws the material that was last looked at; owner: the application, lifetime: its window's context.

    Parameters
    ----------
    note
        Logs why a texture cannot be shown.
    """

    def __init__(self, ctx: moderngl.Context, jobs: Jobs, note: Callable[[str], None]) -> None:
        self._preview = MaterialPreview(ctx, bundled_path("shaders"))
        self._feed = TextureFeed(self._preview, jobs, note)
        self._requested: MaterialLook | None = None
        self._drawn: MaterialLook | None = None
        self._texture = 0

    @property
    def has_work(self) -> bool:
        """Whether textures wait for the next frame."""
        return self._requested is not None and self._feed.has_work

    def texture(self, look: MaterialLook) -> int:
        """The GL name of the image of a look, lowest row first; `draw` fills it in this frame."""
        # The panel draws the name in this frame: another size needs its texture now, other content can wait.
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
        self._preview.load(look.material)
        has_new_textures = self._feed.update(look.view)
        if has_new_textures or not look.is_like(self._drawn):
            self._draw(look)

    def _draw(self, look: MaterialLook) -> None:
        self._texture, self._drawn = self._preview.draw(look), look
