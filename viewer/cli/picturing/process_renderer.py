"""The renderer of a process that draws many models, and how many processes draw."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from viewer.cli import processes
from viewer.render.offscreen import OffscreenRenderer, create_context
from viewer.session.opened.document import Document

SOFTWARE: Final = ("llvmpipe", "softpipe", "swrast", "swr")
"""Parts of the names of renderers that draw on the processor."""
WORTH_SHARING: Final = 8
"""Models from which several processes are used by default: starting one takes as long as drawing these."""


def drawing_jobs(count: int, requested: int | None) -> int:
    """Number of processes that draw `count` models; raises `GraphicsError`.

    By default one per core if the processor draws. A graphics card is used by one process: contexts of
    several take turns, and each uploads the textures again.
    """
    usual = processes.cores() if count >= WORTH_SHARING and _is_software() else 1
    return max(1, min(requested or usual, count))


def _is_software() -> bool:
    renderer = str(create_context().info["GL_RENDERER"]).lower()
    return any(name in renderer for name in SOFTWARE)


_KEPT: Final[list[OffscreenRenderer]] = []
"""The renderer of this process, if there is one: a context is only released with its process."""


@contextmanager
def renderer_of(document: Document) -> Iterator[OffscreenRenderer]:
    """The renderer of this process with a document loaded; raises `GraphicsError`.

    The context, shaders, textures and targets stay for the next document.
    """
    if not _KEPT:
        _KEPT.append(OffscreenRenderer(document))
    renderer = _KEPT[0]
    with renderer.ctx:  # others may have been made since
        if renderer.document is not document:
            renderer.show(document)
        yield renderer
