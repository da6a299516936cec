"""Pictures of a model from fixed cameras and from all around, as WebP files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from math import tau
from typing import Final

import PIL.Image

from viewer.cli.gallery.site_names import CAMERAS
from viewer.formats.texture.pixels import Image
from viewer.render import offscreen
from viewer.render.offscreen import OffscreenRenderer
from viewer.render.targets import Size
from viewer.session.opened.document import Document
from viewer.session.view.camera import Camera, Side
from viewer.session.view.view_state import Background, Shading, ViewState

_FLAT: Final = Camera(is_orthographic=True)
_DIRECTIONS: Final = (Camera(), *(_FLAT.towards(side) for side in (Side.FRONT, Side.RIGHT, Side.TOP)))
"""The fixed cameras; those along an axis show it in parallel projection."""
QUALITY: Final = 86
TURN_QUALITY: Final = 72
TURN_MS: Final = 2400
"""Duration of one turn."""


def plain_view(document: Document) -> ViewState:
    """The model alone as the game draws it, in the first cell that shows anything.

    Without materials it is lit, and shows no placeholders.
    """
    rows = document.materials.rows
    shading = Shading.LIT if all(row.is_missing for row in rows) else Shading.TEXTURED
    plain = ViewState(shading=shading, overlays=frozenset(), background=Background.TRANSPARENT)
    return document.first_view(plain)


def pictures(renderer: OffscreenRenderer, view: ViewState, size: Size) -> dict[str, bytes]:
    """A file per fixed camera, by its name; raises `GraphicsError`."""
    found = {}
    for name, direction in zip(CAMERAS, _DIRECTIONS, strict=True):
        camera, *_ = offscreen.cameras(renderer.document, view, [0.0], [direction], size[0] / size[1])
        image = renderer.image(replace(view, camera=camera), size, is_transparent=True)
        found[name] = _webp([image], QUALITY)
    return found


def turntable(renderer: OffscreenRenderer, view: ViewState, size: Size, count: int) -> bytes:
    """An animated file with `count` images from all around, beginning with three quarters."""
    first = _DIRECTIONS[0]
    around = [replace(first, yaw=first.yaw + tau * turn / count) for turn in range(count)]
    framed = offscreen.cameras(renderer.document, view, [0.0], around, size[0] / size[1])
    images = [renderer.image(replace(view, camera=it), size, is_transparent=True) for it in framed]
    return _webp(images, TURN_QUALITY)


def _webp(images: Sequence[Image], quality: int) -> bytes:
    buffer = BytesIO()
    first, *others = map(PIL.Image.fromarray, images)
    more = {"append_images": others, "duration": TURN_MS // len(images), "loop": 0} if others else {}
    first.save(buffer, "WEBP", quality=quality, save_all=bool(others), **more)
    return buffer.getvalue()
