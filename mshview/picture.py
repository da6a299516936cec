"""Pictures of models, drawn off-screen in the context of this process."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mshview.workspace import workspace
from viewer.dataclass import dataclass
from viewer.errors import UsageError
from viewer.formats.texture.pixels import Image
from viewer.operations.opening import Source
from viewer.render import offscreen
from viewer.render.offscreen import OffscreenRenderer
from viewer.session.opened.document import Document
from viewer.session.play import posing
from viewer.session.view.view_state import Shading

LARGEST: Final = 4096
"""Most pixels of a side."""
_KEPT: Final[list[OffscreenRenderer]] = []
"""The renderer of this process, made for the first picture."""


@dataclass(frozen=True, slots=True)
class PictureOptions:
    """What a picture shows: the parameters of `Model.render`."""

    size: tuple[int, int]
    time: float
    clip: int | None
    cell: tuple[int, int] | None
    angles: tuple[float | None, float | None]
    zoom: float
    shading: str


def picture(source: Source, options: PictureOptions) -> Image:
    """The picture of a model, (h, w, 4) uint8; raises `MshviewError`."""
    _check(options)
    document = Document.open(workspace().store, source)
    view = offscreen.plain_view(document)
    if options.cell is not None:
        view = replace(view, lod=options.cell[0], group=options.cell[1])
    if view.shading is Shading.TEXTURED or options.shading != Shading.TEXTURED:
        view = replace(view, shading=Shading(options.shading))  # without materials it stays lit
    view = posing.at(replace(view, playback=replace(view.playback, clip=options.clip)), options.time)
    width, height = options.size
    direction = offscreen.direction(*options.angles)
    (camera,) = offscreen.cameras(document, view, [options.time], [direction], width / height)
    view = replace(view, camera=offscreen.zoomed(camera, options.zoom))
    if not _KEPT:
        _KEPT.append(OffscreenRenderer(document))
    with _KEPT[0].ctx:  # others may have been made since
        _KEPT[0].show(document)
        return _KEPT[0].image(view, options.size, is_transparent=True)


def _check(options: PictureOptions) -> None:
    """Refuse what cannot be drawn; raises `UsageError`."""
    if not all(1 <= side <= LARGEST for side in options.size):
        raise UsageError(f"{options.size} is not within 1 to {LARGEST} a side", source="size")
    if not options.zoom > 0:
        raise UsageError(f"{options.zoom} is not a positive number", source="zoom")
    if options.shading not in [*Shading]:
        raise UsageError(f"{options.shading!r} is none of {', '.join(Shading)}", source="shading")
    if options.cell is not None and not (0 <= options.cell[0] < 3 and 0 <= options.cell[1] < 5):
        raise UsageError(f"{options.cell} is not within 0 to 2 and 0 to 4", source="lod, group")
