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
from viewer.session.view import texture_view
from viewer.session.view.texture_view import TextureView
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
        self._shelf: TextureCache[TextureView] = TextureCache(ctx, CAPACITY)
        self._decoded: dict[TextureView, Image] = {}
        self._asked: set[TextureView] = set()

    @property
    def has_work(self) -> bool:
        """Whether decoded textures wait for their upload."""
        return bool(self._decoded)

    def texture(self, part: TextureView) -> int | None:
        """The GL name of a view, top row first; None until it is uploaded, and if it cannot be."""
        if part not in self._shelf and part not in self._asked:
            self._asked.add(part)
            self._jobs.start(
                f"decode {part}",
                _("Decoding {name}…").format(name=part.texture.name),
                lambda _: _magnified(texture_view.decode(part, self._longest)),
                lambda image: self._decoded.__setitem__(part, image),
                lambda error: self._note(
                    _("{name} cannot be shown: {error}").format(
                        name=part.texture.name, error=error_text(error)
                    )
                ),
            )
        texture = self._shelf.find(part)
        return None if texture is None else int(texture.glo)

    def upload(self) -> None:
        """Upload a few decoded textures; once a frame, before the panels draw."""
        self._shelf.free_unused()
        for part in list(self._decoded)[:UPLOADS_PER_FRAME]:
            self._shelf.put(part, self._decoded.pop(part))
            self._asked.discard(part)

    def release(self) -> None:
        """Release every texture."""
        self._shelf.release()


def _magnified(image: Image) -> Image:
    return pixels.magnify(image, min(LARGEST, MOST_MAGNIFIED * max(image.shape[:2])))
