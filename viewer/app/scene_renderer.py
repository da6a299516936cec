"""The scene on the graphics card, and its image in the viewport."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

import moderngl
from msgspec.structs import replace

from viewer.app.images.textures import TextureFeed
from viewer.control import navigation
from viewer.control.jobs import Jobs
from viewer.control.state import State
from viewer.errors import MshviewError, error_text
from viewer.formats.texture.pixels import Image
from viewer.model.mesh.pose.animation import Pose
from viewer.render.buffers.merge import MergedDraws, made_of, merge
from viewer.render.passes.textured import MODES
from viewer.render.portions import DrawingTimeError, Frame
from viewer.render.renderer import Renderer, UploadedModel
from viewer.session.opened.document import Document
from viewer.session.opened.tabs import CameraFit, TabKey
from viewer.session.play import posing
from viewer.session.play.ghosts import GhostPoses, laid_over
from viewer.session.play.machinery import drawn_states
from viewer.session.play.model_effects import played
from viewer.session.program import FrameStatistics
from viewer.session.selection import PickHit, Selection
from viewer.session.view.around import shown_marks
from viewer.session.view.camera import Size
from viewer.session.view.view_state import ViewState
from viewer.translation import _

Hits = TypeVar("Hits")

MEGABYTE: Final = 1 << 20
PICTURE_SECONDS: Final = 10.0
"""Time limit of a picture of the viewport, during which the window waits."""
MANY_TRIANGLES: Final = 200_000
"""Triangles above which a model is prepared in a worker thread."""
MOST_MODELS: Final = 4
MOST_BYTES: Final = 128 << 20
"""Bounds of what is kept; the model that is shown may be larger."""
LONGEST: Final = 20.0
"""Seconds after which a model is shown without the textures that are still missing."""
FRAMES_TO_LAY_OUT: Final = 2
"""Frames until the panels have their final sizes."""
FRAMES_TO_SETTLE: Final = 4
"""Frames until all that follows from a command is on screen: ImGui hides a question while it measures it."""


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
        self.renderer = Renderer(ctx, state.settings.texture_memory * MEGABYTE)
        self.renderer.pixel_scale = pixel_scale
        self.renderer.fades_in = True
        self._models = UploadedModels(self.renderer)
        self._feed = TextureFeed(self.renderer, jobs, state.note)
        self._size: Size = (1, 1)
        self._texture = 0
        self.statistics = FrameStatistics()
        self._drawn: tuple[object, ...] = ()
        self._later: ViewState | None = None  # the view now, if it differs from the one drawn in time alone
        self._has_faded = False
        self._is_final = True
        self._is_cancelled = False
        self._is_behind = False
        self._ghosts = GhostPoses()
        self.is_held = False

    def scale(self, pixel_scale: float) -> None:
        """Draw lines and points for another scale of the interface."""
        self.renderer.pixel_scale = pixel_scale
        self._drawn = ()

    def limit_textures(self) -> None:
        """Apply the texture memory of the settings."""
        self.renderer.limit_textures(self._state.settings.texture_memory * MEGABYTE)

    def reload_textures(self) -> None:
        """Upload all textures again: placeholders have text, in the language of now."""
        self.renderer.limit_textures(0)
        self.limit_textures()

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

    @property
    def image(self) -> int:
        """The GL name of the image that was drawn last; another one if its targets were made again."""
        return self._texture

    def draw(self) -> None:
        """Draw the image again if anything in it has changed."""
        state = self._state
        self._models.keep_only(state.tabs.documents)
        if state.resource is not None:
            self._drawn = ()
            return
        requested = (state.document, state.view, state.pose, self._size)
        # By identity: states are frozen, and comparing poses by value may take longer than drawing.
        is_same = self._drawn and all(new is old for new, old in zip(requested, self._drawn, strict=True))
        # What had to wait is drawn, even if it is new textures, which are reported once.
        is_other = self._set_materials() or self._has_faded or self._is_behind or not is_same
        if is_other and not self._waits_for(requested):
            self._has_faded = self._is_cancelled = self._is_behind = False
            self._drawn, self._later = requested, state.view
            drawn = self.renderer.draw(self._frame(state.document, state.view, state.pose, self._size))
        elif self.has_further:
            self._is_behind |= is_other
            drawn = self.renderer.draw_further()
        else:
            return
        self._texture, self.statistics, self._is_final = drawn.texture, drawn.statistics, drawn.is_final

    def _frame(self, document: Document | None, view: ViewState, pose: Pose | None, size: Size) -> Frame:
        """The model, and what is drawn with it."""
        if document is None or pose is None:
            return Frame(view, pose, size)
        ghosts = (*self._ghosts.of(document, view), *laid_over(document, view, pose))
        return Frame(view, pose, size, ghosts, played(document, view, pose))

    def _waits_for(self, requested: tuple[object, ...]) -> bool:
        """Whether another picture of the same model begins only when the one before is whole.

        If drawing is slow, an animation is seen as fewer whole pictures, not as many half ones; one that was
        cancelled stays. What the user changes waits only as long as the whole picture before is held.
        """
        if not self._drawn or requested[0] is not self._drawn[0] or self._size != self._drawn[-1]:
            return False
        if self._state.view is self._later:
            return self.has_further or self._is_cancelled
        return self.has_further and self.renderer.is_holding

    def pass_time(self, before: ViewState) -> None:
        """Take note that only the time has passed since the view was another one."""
        if before is self._later:
            self._later = self._state.view

    @property
    def has_further(self) -> bool:
        """Whether the next frame continues the picture."""
        return not (self._is_final or self._is_cancelled)

    def cancel(self) -> None:
        """Leave the picture as it is until something in it changes but the time."""
        self._is_cancelled, self._is_behind = True, False
        self.statistics = replace(self.statistics, is_cancelled=True)

    @property
    def has_work(self) -> bool:
        """Whether there are textures, or more of the picture, for the next frame."""
        has_textures = self._feed.has_work or self.renderer.is_fading
        return (has_textures and self._is_textured) or (
            (self.has_further or self._is_behind) and bool(self._drawn)
        )

    @property
    def is_loading(self) -> bool:
        """Whether textures of the model are not there yet, or fade in."""
        return self._is_textured and (self._feed.is_waiting or self.renderer.is_fading)

    def get_ready(self) -> bool:
        """Upload textures of the first picture of a document without fading; tell whether it has all."""
        self.renderer.fades_in = False
        has_new = self._set_materials()
        self.renderer.fades_in = True
        return not has_new and not self._feed.is_waiting

    def advance(self, seconds: float) -> None:
        """Let time pass for textures that fade in."""
        if self.renderer.is_fading:
            self.renderer.advance(seconds)
            self._has_faded = True

    @property
    def _is_textured(self) -> bool:
        return _is_textured(self._state.document, self._state.view)

    def _set_materials(self) -> bool:
        """Show the materials at their time; tell whether there are other textures than before."""
        view, document = self._state.view, self._state.document
        if document is None or not self._is_textured:
            return False
        self.renderer.take_phases(drawn_states(document, view))
        return self._feed.update(view)

    def hits(self, size: Size, x: int, y: int) -> list[Selection]:
        """The objects at a pixel counted from the top left, the nearest first."""
        found = self._picked(self.renderer.pick_all, size, x, y) or []
        return [hit.selection for hit in found]

    def hit(self, size: Size, x: int, y: int) -> PickHit | None:
        """The triangle at a pixel, as an image of these ids would have it."""
        return self._picked(self.renderer.hit, size, x, y)

    def vertex(self, size: Size, x: int, y: int) -> int | None:
        """The vertex of the triangle at a pixel that is nearest to it."""
        hit = self.nearest(size, x, y)
        return None if hit is None else hit.nearest_vertex

    def nearest(self, size: Size, x: int, y: int) -> PickHit | None:
        """The nearest triangle at a pixel, faster than `hit`, from which it may differ at edges."""
        return self._picked(self.renderer.pick, size, x, y)

    def _picked(self, pick: Callable[[Frame, int, int], Hits], size: Size, x: int, y: int) -> Hits | None:
        """The hit at a pixel; None, and a message, if the search takes too long."""
        try:
            return pick(Frame(self._state.view, self._state.pose, size), x, y)
        except DrawingTimeError as error:
            self._state.complain(error_text(error))
            return None

    def picture(
        self, size: Size | None = None, view: ViewState | None = None, *, is_transparent: bool = False
    ) -> Image:
        """The image of the viewport without flashing, as pixels (h, w, 4), top row first.

        Another `size` shows all that the viewport shows, another `view` the same model; raises `MshviewError`
        if it is too large, or is not whole at its time limit.
        """
        document, pose = self._state.document, self._state.pose
        if view is not None and document is not None:
            pose = posing.pose(document, view)
        size = size or self._size
        return self._image(document, view, pose, size, self._size, is_transparent=is_transparent)

    def picture_of(
        self, document: Document, view: ViewState, size: Size, seen: Size, *, is_transparent: bool = False
    ) -> Image:
        """The image that `picture` gives if a document is in front, and the viewport has the size `seen`."""
        with self._lent(document):
            pose = posing.pose(document, view)
            return self._image(document, view, pose, size, seen, is_transparent=is_transparent)

    def lacks_textures(self, document: Document, view: ViewState) -> bool:
        """Read more textures of a document that may have been left; tell whether some are missing."""
        if document is self._state.document:
            return self.is_loading
        if not _is_textured(document, view):
            return False
        with self._lent(document):
            self.renderer.take_phases(drawn_states(document, view))
            self._feed.update(view)
            return self._feed.is_waiting

    @contextmanager
    def _lent(self, document: Document) -> Iterator[None]:
        """Show a document meanwhile, and what is in front afterwards."""
        if document is self._state.document:
            yield
            return
        self._models.show(document)
        try:
            yield
        finally:
            self._drawn = ()
            self._models.show(self._state.document)

    def _image(
        self,
        document: Document | None,
        at: ViewState | None,
        pose: Pose | None,
        size: Size,
        seen: Size,
        *,
        is_transparent: bool,
    ) -> Image:
        """The image of the model that is shown; `at` is another view than that of the viewport."""
        (width, height), view = size, at or self._state.view
        if at is not None and document is not None and _is_textured(document, at):
            self.renderer.take_phases(drawn_states(document, at))
        camera = view.camera.widened(seen[0] / seen[1], width / height)
        around = () if document is None else shown_marks(document.model, document.neighbors, view.overlays)
        frame = self._frame(document, view, pose, size)
        still = replace(view, flash=frozenset(), camera=camera)
        try:
            return self.renderer.image(
                replace(frame, view=still, around=around),
                is_transparent=is_transparent,
                line_scale=max(1.0, height / seen[1]),
                seconds=PICTURE_SECONDS,
            )
        except moderngl.Error as error:
            message = _("{width} x {height} pixels do not fit on the graphics card: {error}")
            raise MshviewError(message.format(width=width, height=height, error=error)) from error

    def release(self) -> None:
        """Give the document's buffers back."""
        self.renderer.unload()


def _is_textured(document: Document | None, view: ViewState) -> bool:
    """Tell whether materials are seen."""
    return document is not None and (view.shading in MODES or view.playback.effects.is_playing)


class UploadedModels:
    """Uploads documents and keeps those shown last; owner: the scene renderer, lifetime: its context."""

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        self._kept: dict[int, tuple[Document, UploadedModel]] = {}
        self._prepared: tuple[Document, MergedDraws] | None = None

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents on the graphics card, the one shown last at the end."""
        return tuple(document for document, _uploaded in self._kept.values())

    def prepare(self, document: Document) -> None:
        """Do the part of the upload of a large model that needs no OpenGL; called in worker threads."""
        if len(document.draws.corners) > MANY_TRIANGLES:
            self._prepared = document, merge(*made_of(document))

    def show(self, document: Document | None) -> None:
        """Show a document, or nothing; raises `MshviewError` if it does not fit on the graphics card."""
        if document is None:
            self._renderer.unload()
            return
        known = self._kept.get(document.identity)
        if known is not None and known[0] is document:
            self._renderer.show(known[1])
        else:
            known = document, self._load(document)
        # Put at the end: a dict keeps its order, so the first is the one not shown for longest.
        self._kept.pop(document.identity, None)
        self._kept[document.identity] = known
        while len(self._kept) > 1 and (len(self._kept) > MOST_MODELS or self._size > MOST_BYTES):
            del self._kept[next(iter(self._kept))]

    def keep_only(self, documents: Collection[Document]) -> None:
        """Release the documents that are not open any more."""
        # By identity: an older revision of an open document is not open.
        opened = {id(document) for document in documents}
        for document in self.documents:
            if id(document) not in opened:
                del self._kept[document.identity]

    def _load(self, document: Document) -> UploadedModel:
        prepared, self._prepared = self._prepared, None
        merged = prepared[1] if prepared is not None and prepared[0] is document else None
        try:
            return self._renderer.load_document(document, merged)
        except moderngl.Error as error:
            message = _("does not fit on the graphics card: {error}", error=error)
            raise MshviewError(message, source=document.address) from error

    @property
    def _size(self) -> int:
        return sum(uploaded.buffers.size for _document, uploaded in self._kept.values())


class Arrival:
    """The time between opening a model and its first picture; owner: the application, main thread only.

    Until then the viewport keeps the picture before, or is empty.

    Parameters
    ----------
    aspect
        Gives width by height of the viewport.
    """

    def __init__(self, state: State, scene: SceneRenderer, aspect: Callable[[], float]) -> None:
        self._state, self._scene, self._aspect = state, scene, aspect
        self._arrived: TabKey = state.tabs.active.key
        self._since = 0.0
        self._frames = 0

    @property
    def is_pending(self) -> bool:
        """Whether the model in front is not shown yet."""
        active = self._state.tabs.active
        return active.document is not None and active.key != self._arrived

    def note_panels(self) -> None:
        """Count the frames in which the panels show a model; called before they are drawn."""
        self._scene.is_held = self.is_pending
        self._frames = self._frames + 1 if self._state.document else 0

    def ends(self, now: float) -> bool:
        """Tell whether the model is shown from this frame on; it is framed then."""
        if not self.is_pending:
            self._arrived, self._since = self._state.tabs.active.key, now
            return False
        is_ready = self._scene.get_ready() or now - self._since > LONGEST
        if self._frames < FRAMES_TO_LAY_OUT or not is_ready:
            return False
        self.frame()
        self._arrived = self._state.tabs.active.key
        self._scene.is_held = False
        return True

    def frame(self) -> None:
        """Frame what was opened and is not framed yet."""
        framing = self._state.tabs.active.framing
        if framing is not CameraFit.KEPT:
            self._state.tabs = self._state.tabs.changed(framing=CameraFit.KEPT)
            navigation.restore(self._state, self._aspect(), keeps_direction=framing is CameraFit.DIRECTION)
