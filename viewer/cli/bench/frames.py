"""Cases of ``bench`` that draw: frames, the pictures of all cells, and what is under the cursor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import cycle
from typing import Final

from viewer.cli.bench.subjects import Subjects
from viewer.cli.bench.timing import Work
from viewer.dataclass import replace
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.render.offscreen import OffscreenRenderer
from viewer.render.renderer import IMAGE_SECONDS
from viewer.render.sheets import SheetPainter
from viewer.session.opened.document import Document
from viewer.session.play import posing
from viewer.session.play.framing import framed
from viewer.session.view.cell_sheet import CellCounts, SheetLook, sheet_views
from viewer.session.view.view_state import GROUP_COUNT, ViewState

SHEET_CELL: Final = (128, 160)
"""Size of the picture of a cell, pixels."""


def frame_10k(subjects: Subjects) -> Work:
    """A whole frame of an animated model: pose, culling, matrices, drawing, until the GPU has finished."""
    return _frames(subjects.renderer, subjects.view, subjects)


def contact_sheet_60k(subjects: Subjects) -> Work:
    """The pictures of all fifteen cells of a model, from their counts and camera to the finished texture."""
    document = Document.open(FileStore(), Source(subjects.medium))
    offscreen = OffscreenRenderer(document)
    painter = SheetPainter(offscreen.ctx, offscreen.renderer)

    def draw() -> None:
        look = SheetLook.of(document, subjects.view, None, SHEET_CELL)
        pose = posing.pose(document, look.alone)
        CellCounts.of(document, look.alone, None)
        painter.begin(sheet_views(look, pose), pose, look.size, GROUP_COUNT)
        while not painter.is_whole:
            painter.advance(IMAGE_SECONDS)
        offscreen.ctx.finish()

    return Work(draw)


def frame_60k(subjects: Subjects) -> Work:
    """A whole frame of an animated model of few nodes and some triangles each."""
    return _framed(subjects.moving, subjects)


def frame_6m(subjects: Subjects) -> Work:
    """A whole picture of a model of very many triangles, on slow machines in as many frames as it takes."""
    return _framed(subjects.dense, subjects)


def _framed(model: Address, subjects: Subjects) -> Work:
    """Frames that show all of a model."""
    document = Document.open(FileStore(), Source(model))
    width, height = subjects.sizes.frame
    camera = framed(document, subjects.view.camera, subjects.view, width / height)
    return _frames(OffscreenRenderer(document), replace(subjects.view, camera=camera), subjects)


def _frames(offscreen: OffscreenRenderer, view: ViewState, subjects: Subjects) -> Work:
    """The next pose, drawn until the picture is whole."""
    animation, renderer = offscreen.document.animation, offscreen.renderer
    moments = times(animation.frame_count)

    def draw() -> None:
        frame = renderer.draw(view, animation.pose(next(moments)), subjects.sizes.frame)
        while not frame.statistics.is_whole:
            frame = renderer.draw_further()
        offscreen.ctx.finish()

    return Work(draw)


def pick_10k(subjects: Subjects) -> Work:
    """Pick what is under the cursor, in a frame that shows everything."""
    document, renderer = subjects.large_document, subjects.renderer
    pose = document.animation.pose(1.5)
    width, height = subjects.sizes.frame
    return Work(
        lambda: renderer.renderer.pick(subjects.view, pose, subjects.sizes.frame, width // 2, height // 2)
    )


def times(frame_count: int) -> Iterator[float]:
    """Times between frames, repeated endlessly."""
    return cycle([frame + 0.3 for frame in range(max(1, frame_count - 1))])


CASES: Final[Mapping[str, Callable[[Subjects], Work]]] = {
    "frame_10k": frame_10k,
    "frame_60k": frame_60k,
    "contact_sheet_60k": contact_sheet_60k,
    "frame_6m": frame_6m,
    "pick_10k": pick_10k,
}
