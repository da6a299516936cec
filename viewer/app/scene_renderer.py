"""The scene on the graphics card, and its image in the viewport."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import moderngl

from viewer.app.jobs import Jobs
from viewer.app.state import State
from viewer.app.textures.texture_feed import TextureFeed
from viewer.app.uploaded_models import UploadedModels
from viewer.errors import MshviewError
from viewer.formats.texture.pixels import Image
from viewer.render.frame_limit import FrameLimit
from viewer.render.passes.textured import MODES
from viewer.render.renderer import Renderer
from viewer.resources import bundled_path
from viewer.session.opened.document import Document
from viewer.session.selection import Selection
from viewer.session.statistics import FrameStatistics
from viewer.translation import _

Size = tuple[int, int]
MEGABYTE: Final = 1 << 20
PICTURE_SECONDS: Final = 1.0
"""Time after which a picture leaves triangles out."""


class SceneRenderer:
    """Draws the state for the viewport; owner: the application, lifetime: its window's context.

    Attributes
    ----------
    renderer
        The renderer itself.
    statistics
        Those of the last image.
    is_held
        The picture before stays, as that of the document is not whole yet.
    """

    def __init__(self, ctx: moderngl.Context, state: State, jobs: Jobs, pixel_scale: float) -> None:
        self._state = state
        self.renderer = Renderer(ctx, bundled_path("shaders"), state.settings.texture_memory * MEGABYTE)
        self.renderer.pixel_scale = pixel_scale
        self.renderer.fades_in = True
        self._models = UploadedModels(self.renderer)
        self._feed = TextureFeed(self.renderer, jobs, state.note)
        self._size: Size = (1, 1)
        self._texture = 0
        self.statistics = FrameStatistics()
        self._drawn: tuple[object, ...] = ()
        self._has_faded = False
        self._is_final = True
        self.is_held = False

    def scale(self, pixel_scale: float) -> None:
        """Draw lines and points for another scale of the interface."""
        self.renderer.pixel_scale = pixel_scale
        self._drawn = ()

    def limit_textures(self) -> None:
        """Apply the texture memory of the settings."""
        self.renderer.limit_textures(self._state.settings.texture_memory * MEGABYTE)

    def prepare(self, document: Document) -> None:
        """Do the part of the upload that needs no OpenGL; called in worker threads."""
        self._models.prepare(document)

    def show(self, document: Document | None) -> None:
        """Show a document, or nothing; raises `MshviewError` if it does not fit on the graphics card."""
        self._models.show(document)
        self._feed.retry()

    def texture(self, size: Size) -> int:
        """The GL name of the image, which `draw` fills; recreated at once if its size has changed.

        0 if there is none as long as the picture before is held.
        """
        if self.is_held:
            return self._texture if self._drawn and size == self._size else 0
        if size != self._size or not self._drawn:
            self._size = size
            self.draw()
        return self._texture

    def draw(self) -> None:
        """Draw the image again if anything in it has changed."""
        state = self._state
        self._models.keep_only(state.tabs.documents)
        if state.resource is not None:
            self._drawn = ()
            return
        requested = (state.document, state.view, state.pose, self._size)
        is_same = self._drawn and all(new is old for new, old in zip(requested, self._drawn, strict=True))
        if self._set_materials() or self._has_faded or not is_same:
            self._has_faded = False
            frame = self.renderer.draw(state.view, state.pose, self._size)
            self._texture, self.statistics = frame.texture, frame.statistics
            self._drawn = requested if frame.is_final else ()
            self._is_final = frame.is_final

    @property
    def has_work(self) -> bool:
        """Whether there are textures, or more triangles, for the next frame."""
        has_textures = self._feed.has_work or self.renderer.is_fading
        return (has_textures and self._is_textured) or not self._is_final

    def get_ready(self) -> bool:
        """Upload textures of the first picture of a document without fading; tell whether it has all."""
        self.renderer.fades_in = False
        if not self._set_materials() and not self._feed.is_waiting:
            self.renderer.fades_in = True
            return True
        self.renderer.fades_in = True
        return False

    def advance(self, seconds: float) -> None:
        """Let time pass for textures that fade in."""
        if self.renderer.is_fading:
            self.renderer.advance(seconds)
            self._has_faded = True

    @property
    def _is_textured(self) -> bool:
        return self._state.document is not None and self._state.view.shading in MODES

    def _set_materials(self) -> bool:
        """Show the materials at their time; tell whether there are other textures than before."""
        view, document = self._state.view, self._state.document
        if document is None or not self._is_textured:
            return False
        self.renderer.take_phases(document.material_states(view))
        return self._feed.update(view)

    def hits(self, size: Size, x: int, y: int) -> list[Selection]:
        """The objects at a pixel counted from the top left, the nearest first."""
        found = self.renderer.pick_all(self._state.view, self._state.pose, size, x, y)
        return [hit.selection for hit in found]

    def vertex(self, size: Size, x: int, y: int) -> int | None:
        """The vertex of the triangle at a pixel that is nearest to it."""
        hit = self.renderer.pick(self._state.view, self._state.pose, size, x, y)
        return None if hit is None else hit.nearest_vertex

    def picture(self, size: Size | None = None, *, is_transparent: bool = False) -> Image:
        """The image of the viewport without flashing, as pixels (h, w, 4), top row first.

        Another `size` shows all that the viewport shows; raises `MshviewError` if it is too large.
        """
        (width, height), view = size or self._size, self._state.view
        camera = view.camera.widened(self._size[0] / self._size[1], width / height)
        try:
            return self.renderer.image(
                replace(view, flash=frozenset(), camera=camera),
                self._state.pose,
                (width, height),
                is_transparent=is_transparent,
                limit=FrameLimit.of_image(PICTURE_SECONDS, (width, height)),
                line_scale=max(1.0, height / self._size[1]),
            )
        except moderngl.Error as error:
            message = _("{width} x {height} pixels do not fit on the graphics card: {error}")
            raise MshviewError(message.format(width=width, height=height, error=error)) from error

    def release(self) -> None:
        """Give the document's buffers back."""
        self.renderer.unload()
