"""Textures for the panels: decoded in worker threads, a few uploaded per frame, least recent evicted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import moderngl

from viewer.app.jobs import Jobs
from viewer.app.textures.texture_cache import TextureCache
from viewer.errors import error_text
from viewer.formats.texture import pixels
from viewer.formats.texture.pixels import Image
from viewer.progress import Cancelled
from viewer.session.view import texture_view
from viewer.session.view.texture_view import PixelKey, TextureView
from viewer.translation import _

CAPACITY: Final = 64 * 1024 * 1024
"""GPU memory for textures that are not on screen, bytes."""
UPLOADS_PER_FRAME: Final = 4
LARGEST: Final = 2048
"""Pixels of the longer side up to which textures are magnified, since ImGui blends neighbours."""
MOST_MAGNIFIED: Final = 8


class Gallery:
    """Textures by view; owner: the application, lifetime: its window. Main thread only.

    Parameters
    ----------
    note
        Logs why a texture cannot be shown.
    """

    def __init__(self, ctx: moderngl.Context, jobs: Jobs, note: Callable[[str], None]) -> None:
        self._jobs = jobs
        self._note = note
        self._longest = min(int(ctx.info["GL_MAX_TEXTURE_SIZE"]), texture_view.LONGEST)
        self._shelf: TextureCache[PixelKey] = TextureCache(ctx, CAPACITY)
        self._decoded: dict[PixelKey, Image] = {}
        self._asked: set[PixelKey] = set()
        self._refused: set[PixelKey] = set()
        self._visible: set[PixelKey] = set()

    @property
    def has_work(self) -> bool:
        """Whether decoded textures wait for their upload."""
        return bool(self._decoded)

    def texture(self, part: TextureView) -> int | None:
        """The GL name of a view, top row first; None until it is uploaded, and if it cannot be."""
        key = part.key
        self._visible.add(key)
        if key not in self._shelf and key not in self._asked | self._refused:
            self._asked.add(key)
            self._jobs.start(
                f"decode {key}",
                _("Decoding {name}…").format(name=part.texture.name),
                lambda _: _magnified(texture_view.decode(part, self._longest)),
                lambda image: self._decoded.__setitem__(key, image),
                lambda error: self._refuse(part, error),
            )
        texture = self._shelf.find(key)
        return None if texture is None else int(texture.glo)

    def _refuse(self, part: TextureView, error: BaseException) -> None:
        """Log why a texture cannot be shown; it is not tried again while it is on screen."""
        self._asked.discard(part.key)
        self._refused.add(part.key)
        if not isinstance(error, Cancelled):
            words = _("{name} cannot be shown: {error}")
            self._note(words.format(name=part.texture.name, error=error_text(error)))

    def upload(self) -> None:
        """Upload a few decoded textures; once a frame, before the panels draw."""
        self._shelf.free_unused()
        self._refused &= self._visible
        self._visible.clear()
        for part in list(self._decoded)[:UPLOADS_PER_FRAME]:
            self._shelf.put(part, self._decoded.pop(part))
            self._asked.discard(part)

    def release(self) -> None:
        """Release every texture."""
        self._shelf.release()


def _magnified(image: Image) -> Image:
    return pixels.magnify(image, min(LARGEST, MOST_MAGNIFIED * max(image.shape[:2])))
