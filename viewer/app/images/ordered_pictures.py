"""Pictures of models for worker threads, which cannot draw: each is drawn in the frames of the window."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from typing import Final

import moderngl
from msgspec import Struct, field

from viewer.app.images.thumbnail_reading import ModelPreview, ModelThumbnails
from viewer.app.scene_renderer import MEGABYTE
from viewer.formats.texture.pixels import Image
from viewer.progress import Cancelled, checkpoint
from viewer.session.opened.document import Document
from viewer.session.view.camera import Size
from viewer.session.view.view_state import ViewState

CAPACITY: Final = 64 * MEGABYTE
"""GPU memory of textures that the pictures share, bytes."""
TEXTURE_SIDE: Final = 2048
"""Longest side of a texture, pixels."""
PATIENCE: Final = 0.2
"""Seconds after which a worker looks whether it was cancelled."""


class _Order(Struct, frozen=True, eq=False):
    preview: ModelPreview
    size: Size
    is_transparent: bool
    made: Future[Image] = field(default_factory=Future)


class OrderedPictures:
    """Draws what workers order; owner: the application.

    Parameters
    ----------
    wake
        Wakes the frame loop.
    """

    def __init__(self, ctx: moderngl.Context, wake: Callable[[], None]) -> None:
        self._models, self._wake = ModelThumbnails(ctx, CAPACITY), wake
        self._orders: deque[_Order] = deque()

    def image(
        self, document: Document, view: ViewState, size: Size, *, is_transparent: bool = False
    ) -> Image:
        """The image of a model, (h, w, 4), top row first; waits for it, in a worker thread.

        Raises `MshviewError` if it cannot be drawn, `Cancelled` if the work is.
        """
        order = _Order(ModelPreview.of(document, view, TEXTURE_SIDE), size, is_transparent)
        self._orders.append(order)
        self._wake()
        try:
            image = None
            while image is None:
                with suppress(NotYet):
                    image = order.made.result(PATIENCE)
                checkpoint()
        except Cancelled:
            order.made.cancel()
            raise
        return image

    @property
    def has_work(self) -> bool:
        """Whether the next frame draws something."""
        return bool(self._orders)

    def update(self) -> None:
        """Draw a part of the oldest order; once a frame, main thread only."""
        if not self._orders:
            return
        order = self._orders[0]
        image: Image | None = None
        error: Exception | None = None
        if not order.made.cancelled():
            try:
                image = self._models.image(order.preview, order.size, is_transparent=order.is_transparent)
            except Exception as problem:  # noqa: BLE001 the worker that waits reports it
                error = problem
            if image is None and error is None:
                return
        self._orders.popleft()
        if not order.made.set_running_or_notify_cancel():
            return
        if error is not None:
            order.made.set_exception(error)
        elif image is not None:
            order.made.set_result(image)

    def release(self) -> None:
        """Give the buffers of the last model back."""
        self._models.release()
