"""Images of several models in one space, as a unit of its parts, without a window or a display."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import moderngl
import numpy as np

from viewer.dataclass import dataclass, replace
from viewer.formats.texture.pixels import Image
from viewer.geometry.bounds import Bounds, JoinedShapes
from viewer.geometry.transforms import Doubles
from viewer.model.mesh.animation import Pose
from viewer.model.mesh.reading import wear_rows_of
from viewer.render.offscreen import GraphicsError, create_context
from viewer.render.passes.textured import MODES
from viewer.render.portions import DrawingTimeError
from viewer.render.renderer import IMAGE_SECONDS, Renderer, UploadedModel
from viewer.render.targets import RenderTarget, Size
from viewer.render.textures import texels
from viewer.resources import bundled_path
from viewer.session.opened.document import Document
from viewer.session.play import posing
from viewer.session.play.framing import NOTHING
from viewer.session.view.camera import Camera
from viewer.session.view.view_state import ViewState


@dataclass(frozen=True, slots=True, eq=False)
class PlacedModel:
    """A model, and where it is.

    Attributes
    ----------
    matrix
        ``world_from_model``, (4, 4).
    """

    document: Document
    matrix: Doubles

    def pose(self, view: ViewState) -> Pose:
        """The nodes of a part in the common space at the time of a view."""
        pose = posing.pose(self.document, view)
        return replace(pose, world=(self.matrix @ pose.world).astype(np.float32))


class UnitRenderer:
    """Draws models one over the other, with one depth; owner: a verb, main thread only.

    What can be seen through is blended part by part, so that of another part behind it may be missing.
    """

    def __init__(self, models: Sequence[PlacedModel]) -> None:
        self._ctx = create_context()
        self._renderer = Renderer(self._ctx, bundled_path("shaders"))
        self._target = RenderTarget(self._ctx)
        self._models = [(placed, self._load(placed.document)) for placed in models]

    def _load(self, document: Document) -> UploadedModel:
        material = wear_rows_of(document.model.batches, document.choice.reading.material_field)
        try:
            return self._renderer.load(document.model, document.draws, material, document.materials)
        except moderngl.Error as error:
            raise GraphicsError(f"cannot be drawn here: {error}", source=document.address) from error

    def image(self, view: ViewState, size: Size, *, is_transparent: bool = False) -> Image:
        """The image of a view, (h, w, 4), top row first; raises `GraphicsError`."""
        for number, (placed, uploaded) in enumerate(self._models):
            self._renderer.show(uploaded)
            try:
                self._provide(placed.document, view)
                begun = self._renderer.begin_image(
                    view, placed.pose(view), size, is_transparent=is_transparent
                )
                drawing = replace(begun, target=self._target, sheet=size, is_over=number > 0)
                self._renderer.advance_drawing(drawing, IMAGE_SECONDS)
                drawing.portions.check(IMAGE_SECONDS)
            except (moderngl.Error, DrawingTimeError) as error:
                message = f"cannot be drawn here: {error}"
                raise GraphicsError(message, source=placed.document.address) from error
        self._target.resolve()
        return self._target.pixels()

    def _provide(self, document: Document, view: ViewState) -> None:
        if view.shading not in MODES:
            return
        self._renderer.take_phases(document.material_states(view))
        for texture in self._renderer.requested_textures(view.textures):
            self._renderer.provide(texels.decode(texture, view.textures, self._renderer.texture_limit))


def framed(models: Sequence[PlacedModel], view: ViewState, camera: Camera, aspect: float) -> Camera:
    """The camera moved to show all that a view shows of some models, with one range of depths for all."""
    posed = [placed.document.posed(placed.pose(view), view) for placed in models]
    known = [(shape, box) for shape in posed if (box := shape.bounds) is not None]
    bounds = reduce(Bounds.union, [box for _, box in known], known[0][1]) if known else NOTHING
    shape = JoinedShapes(tuple(shape for shape, _ in known)) if known else NOTHING
    found = replace(camera, reach=bounds.diagonal).frame(shape, aspect)
    far = found.distance + 2 * bounds.diagonal
    return replace(found, planes=(max(found.distance / 500, far / 1e5), far))
