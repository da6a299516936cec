"""Images without a window or a display, the OpenGL context for them, and advice if there is no driver."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import reduce
from math import radians
from typing import Any, Final

import moderngl
import numpy as np
from msgspec.structs import replace

from viewer.errors import MshviewError
from viewer.formats.texture.pixels import Image
from viewer.geometry.bounds import Bounds, JoinedShapes, SupportShape
from viewer.operations.effects.effects import LoadedEffect
from viewer.render.passes.ids import Ids
from viewer.render.passes.textured import MODES
from viewer.render.portions import DrawingTimeError, Frame
from viewer.render.renderer import Renderer
from viewer.render.textures import texels
from viewer.session.opened.document import Document
from viewer.session.play import posing
from viewer.session.play.machinery import drawn_states
from viewer.session.play.posing import NOTHING, framed
from viewer.session.selection import PickHit
from viewer.session.view.around import shown_marks
from viewer.session.view.camera import FARTHEST, NEAREST, Camera, Size
from viewer.session.view.options.background import Background
from viewer.session.view.options.lighting import Lighting, Look
from viewer.session.view.options.shading import Shading
from viewer.session.view.view_state import ViewState
from viewer.translation import _

SETTINGS: Final = {"mesa_glthread": "true", "MESA_DEBUG": "silent"}
"""Mesa runs GL calls in its own thread, and logs no message about this setting."""
GL_CODE: Final = 330
BACKEND: Final[dict[str, Any]] = {"backend": "egl"} if sys.platform.startswith("linux") else {}
"""The backend of contexts without a window: EGL on Linux, elsewhere moderngl's default."""
NAMED: Final = {"libgl": "libGL.so.1", "libegl": "libEGL.so.1"}
"""The usual file names of the libraries: searching for them would start two processes."""
CHOICES: Final = "GLCONTEXT_"
"""Beginnings of the environment variables with which users choose a device or other libraries."""


def prepare_driver() -> None:
    """Make Mesa draw in its own thread; other drivers ignore it, and a variable that is already set stays."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)


def driver_advice() -> str:
    """The end of a message about a missing OpenGL 3.3: what to install."""
    if sys.platform == "win32":
        return _(
            "install or update the driver of the graphics card, or put opengl32.dll of Mesa next to the"
            " program, which draws on the processor"
        )
    if not sys.platform.startswith("linux"):
        return _("install or update the driver of the graphics card")
    packages = "libegl1 libgl1 libgl1-mesa-dri"
    return _("install the driver of the graphics card, or {packages} on Debian", packages=packages)


class GraphicsError(MshviewError):
    """OpenGL 3.3 is not available, or it cannot draw this."""


@contextmanager
def drawing(document: Document | LoadedEffect) -> Iterator[None]:
    """The context of drawing a document or an effect: errors of GL become `GraphicsError`."""
    try:
        yield
    except (moderngl.Error, DrawingTimeError) as error:
        raise GraphicsError(
            _("cannot be drawn here: {error}", error=error), source=document.address
        ) from error


def create_context() -> moderngl.Context:
    """An OpenGL 3.3 context without a display; raises `GraphicsError`."""
    prepare_driver()
    try:
        return _context()
    # moderngl and glcontext raise exceptions of many types, depending on what is missing: library, display,
    # device or version.
    except Exception as error:
        raise GraphicsError(f"no OpenGL 3.3 without a window: {error}; {driver_advice()}") from error


def _context() -> moderngl.Context:
    """A context of `BACKEND`; libraries are searched for if their usual file names fail."""
    if BACKEND and not any(name.startswith(CHOICES) for name in os.environ):
        with suppress(Exception):
            # What moderngl would call, without the modules that search for libraries, 9 ms.
            from glcontext import egl  # type: ignore[import-untyped] # noqa: PLC0415 only there on Linux

            made = egl.create_context(mode="standalone", glversion=GL_CODE, **NAMED)
            return moderngl.create_context(require=GL_CODE, standalone=True, context=made)
    return moderngl.create_context(require=GL_CODE, standalone=True, **BACKEND)


class OffscreenRenderer:
    """A renderer and its document; owner: a verb, main thread only.

    Attributes
    ----------
    ctx
        The context, made with this object and released with the process.
    document
        The loaded model.
    """

    def __init__(self, document: Document) -> None:
        self.ctx = create_context()
        self.renderer = Renderer(self.ctx)
        self.show(document)

    def show(self, document: Document) -> None:
        """Load another model; raises `GraphicsError`."""
        self.document = document
        with drawing(document):
            self.renderer.load_document(document)

    def image(self, view: ViewState, size: Size, *, is_transparent: bool = False) -> Image:
        """The image of a view at its time, (h, w, 4), top row first; whole, or it raises `GraphicsError`."""
        pose = posing.pose(self.document, view)
        with drawing(self.document):
            self._set_materials(view)
            around = shown_marks(self.document.model, self.document.neighbors, view.overlays)
            frame = Frame(view, pose, size, around=around)
            return self.renderer.image(frame, is_transparent=is_transparent)

    def _set_materials(self, view: ViewState) -> None:
        """Upload the textures that a view needs, and set the phases of the materials at its time."""
        if view.shading not in MODES:
            return
        self.renderer.take_phases(drawn_states(self.document, view))
        for texture in self.renderer.requested_textures(view.textures):
            self.renderer.provide(texels.decode(texture, view.textures, self.renderer.texture_limit))

    def ids(self, view: ViewState, size: Size) -> Ids:
        """Node + 1, batch + 1, triangle + 1 of every pixel, (h, w, 3); raises `GraphicsError`."""
        pose = posing.pose(self.document, view)
        with drawing(self.document):
            self._set_materials(view)
            return self.renderer.ids(Frame(view, pose, size))

    def hit(self, view: ViewState, size: Size, x: int, y: int) -> PickHit | None:
        """The hit at a pixel inside the image, counted from the top left; raises `GraphicsError`."""
        pose = posing.pose(self.document, view)
        with drawing(self.document):
            self._set_materials(view)
            return self.renderer.hit(Frame(view, pose, size), x, y)


def plain_view(document: Document, look: Look = Look.GAME) -> ViewState:
    """A model alone on a transparent ground, in the first cell that shows anything, for pictures of many.

    Without materials it is lit, and shows no placeholders.
    """
    is_bare = all(row.is_missing for row in document.materials.rows)
    plain = ViewState(
        shading=Shading.LIT if is_bare else Shading.TEXTURED,
        lighting=Lighting(look),
        overlays=frozenset(),
        background=Background.TRANSPARENT,
    )
    return document.first_view(plain)


def cameras(
    document: Document, view: ViewState, times: Sequence[float], directions: Sequence[Camera], aspect: float
) -> list[Camera]:
    """Cameras for a series of images, one per direction, all at a distance that shows the whole model.

    `view` is shown at the `times`, `aspect` is width / height. Several directions share a target; in the own
    view they share the eye.
    """
    if view.drawn.is_own_view:
        return [framed(document, camera, view, aspect) for camera in directions]
    # Fitted twice: each direction alone has a target of its own, and with targets and distances of their own
    # the model would jump from image to image. So all look at the mean target, from the distance that the
    # widest of them needs.
    shape, bounds = _shape(document, view, times)
    reaching = [replace(camera, reach=bounds.diagonal) for camera in directions]
    alone = {camera: camera.frame(shape, aspect) for camera in reaching}
    x, y, z = np.mean([camera.target for camera in alone.values()], axis=0).tolist()
    target = (x, y, z) if len(alone) > 1 else None
    fitted = [camera.frame(shape, aspect, target) for camera in reaching]
    distance = max(camera.distance for camera in fitted)
    return [replace(camera, distance=distance) for camera in fitted]


def _shape(document: Document, view: ViewState, times: Sequence[float]) -> tuple[SupportShape, Bounds]:
    """The vertices that a view shows at all of some times, and the box around them."""
    # Many times may be one moment: those of a model that does not move, for one.
    moments = dict.fromkeys(posing.moment(document, posing.at(view, time)) for time in times)
    poses = (document.animation.pose_at(moment) for moment in moments)
    posed = [document.posed(pose, view) for pose in poses]
    known = [(shape, box) for shape in posed if (box := shape.bounds) is not None]
    if not known:
        return NOTHING, NOTHING
    shapes, boxes = zip(*known, strict=True)
    return JoinedShapes(shapes), reduce(Bounds.union, boxes)


def direction(yaw: float | None, pitch: float | None, usual: Camera | None = None) -> Camera:
    """A camera at angles in degrees; by default those of another one, else a three-quarter view."""
    camera = usual or Camera()
    if yaw is not None:
        camera = replace(camera, yaw=radians(yaw))
    return camera if pitch is None else replace(camera, pitch=radians(pitch))


def zoomed(camera: Camera, factor: float) -> Camera:
    """The camera moved closer, so that everything is `factor` times as large."""
    return replace(camera, distance=min(max(camera.distance / factor, NEAREST), FARTHEST))
