"""The picture of the active tab in the viewport: of a model, a unit or an effect."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import moderngl
from msgspec.structs import replace

from viewer.app.images.textures import LookImage, UnitImages
from viewer.app.scene_renderer import SceneRenderer
from viewer.control.jobs import Jobs
from viewer.control.state import State
from viewer.errors import MshviewError, error_text
from viewer.formats.texture.pixels import Image
from viewer.render.effect_renderer import EffectRenderer
from viewer.render.offscreen import GraphicsError
from viewer.session.measuring import SurfacePoint
from viewer.session.pixel.explanation import PointedTriangle
from viewer.session.play import unit_posing
from viewer.session.play.effect_hits import blocks_at
from viewer.session.play.stage import EffectStage, ModelStage, Stage, UnitStage, on_transparent_ground
from viewer.session.play.unit_posing import UnitLook
from viewer.session.selection import Selection
from viewer.session.view.camera import Size
from viewer.session.view.effect_look import EffectLook
from viewer.session.view.view_state import ViewState
from viewer.translation import _

Found = TypeVar("Found")


class StagePictures:
    """The pictures of the active tab; owner: the application, main thread only.

    Attributes
    ----------
    effects, units
        The images of effects and of units; those of models are `scene`'s.
    """

    def __init__(self, ctx: moderngl.Context, state: State, jobs: Jobs, scene: SceneRenderer) -> None:
        self._state, self._scene = state, scene
        self._effect_renderer = EffectRenderer(ctx)
        self.effects: LookImage[EffectLook] = LookImage(self._effect_renderer, jobs, state.note)
        self.units = UnitImages(ctx, jobs, state.note)
        self._size: Size = (1, 1)

    @property
    def has_work(self) -> bool:
        """Whether textures of units and effects wait for the next frame."""
        return self.effects.has_work or self.units.has_work

    def lacks_textures(self, stage: Stage, view: ViewState, size: Size) -> bool:
        """Read more textures of a stage, whose tab may have been left; tell whether some are missing."""
        if isinstance(stage, UnitStage):
            return self.units.lacks_textures(UnitLook(stage.unit, view, size))
        if isinstance(stage, EffectStage):
            look = stage.look(view, size)
            return look is not None and self.effects.lacks_textures(look)
        return isinstance(stage, ModelStage) and self._scene.lacks_textures(stage.document, view)

    @property
    def size(self) -> Size:
        """The size of the viewport."""
        return self._size

    def texture(self, size: Size) -> int:
        """The GL name of an image of a size, bottom row first, filled before the frame is shown; or 0."""
        self._size = size
        stage, view = self._state.stage, self._state.view
        if isinstance(stage, UnitStage):
            return self.units.texture(UnitLook(stage.unit, view, size), 0)
        if isinstance(stage, EffectStage):
            look = stage.look(view, size)
            return 0 if look is None else self.effects.texture(look)
        return self._scene.texture(size)

    def draw(self) -> None:
        """Draw the images of units and effects again in which anything has changed; once a frame."""
        self.units.pixel_scale = self._scene.renderer.pixel_scale
        self.effects.draw()
        self.units.draw()

    def hits(self, size: Size, x: int, y: int) -> list[Selection]:
        """The objects at a pixel counted from the top left, the nearest first: components, blocks."""
        stage = self._state.stage
        if isinstance(stage, UnitStage):
            look = UnitLook(stage.unit, self._state.view, size)
            found = self._reported(lambda: self.units.renderer.hits(look, x, y)) or []
            return [Selection((part.component,)) for part, _hit in found]
        if isinstance(stage, EffectStage):
            of_effect = stage.look(self._state.view, size)
            return [] if of_effect is None else [Selection((it,)) for it in blocks_at(of_effect, x, y)]
        return self._scene.hits(size, x, y)

    def vertex(self, size: Size, x: int, y: int) -> int | None:
        """The vertex of the triangle of a model at a pixel that is nearest to it."""
        return None if self._state.document is None else self._scene.vertex(size, x, y)

    def point(self, size: Size, x: int, y: int) -> SurfacePoint | None:
        """The point of a model at a pixel counted from the top left; None without one."""
        state, stage = self._state, self._state.stage
        if state.document is not None:
            hit = self._scene.nearest(size, x, y)
            if hit is None or state.pose is None:
                return None
            return SurfacePoint.of(hit, state.document.model, state.pose.world, moves=True)
        if not isinstance(stage, UnitStage):
            return None
        look = UnitLook(stage.unit, state.view, size)
        found = self._reported(lambda: self.units.renderer.hits(look, x, y))
        if not found:
            return None
        part, nearest = found[0]
        return SurfacePoint.of(nearest, part.document.model, part.pose.world, moves=False)

    def pointed(self, size: Size, x: int, y: int) -> PointedTriangle | None:
        """The triangle at a pixel, and the model that it is of; None if no model is shown."""
        state, stage = self._state, self._state.stage
        if state.document is not None:
            hit = self._scene.hit(size, x, y)
            return PointedTriangle(
                state.document, state.view, hit, Selection() if hit is None else hit.selection
            )
        if not isinstance(stage, UnitStage):
            return None
        look = UnitLook(stage.unit, state.view, size)
        found = self._reported(lambda: self.units.renderer.exact_hits(look, x, y))
        effects = unit_posing.played(stage.unit, state.view, unit_posing.placed(stage.unit, state.view))
        if not found:
            root = stage.unit.chassis or next(iter(stage.unit.documents.values()))
            return PointedTriangle(root, state.view, effects=effects)
        part, nearest = found[0]
        chosen = Selection((part.component,))
        return PointedTriangle(part.document, part.view, nearest, chosen, part.pose, effects)

    def _reported(self, look: Callable[[], Found]) -> Found | None:
        """The result of a function; None, and a message, if nothing can be drawn."""
        try:
            return look()
        except MshviewError as error:
            self._state.complain(error_text(error))
            return None

    def picture(self, size: Size | None = None, *, is_transparent: bool = False) -> Image:
        """The image of the viewport without flashing, as pixels (h, w, 4), top row first.

        Another `size` shows all that the viewport shows; raises `MshviewError` if it is too large, or is not
        whole at its time limit.
        """
        stage = self._state.stage
        if not isinstance(stage, UnitStage | EffectStage):
            return self._scene.picture(size, is_transparent=is_transparent)
        view, size = self._state.view, size or self._size
        return self.picture_of(stage, view, size, self._size, is_transparent=is_transparent)

    def picture_of(
        self, stage: Stage, view: ViewState, size: Size, seen: Size, *, is_transparent: bool = False
    ) -> Image:
        """The image that `picture` gives of a stage, whose tab may have been left or closed.

        Parameters
        ----------
        seen
            The size of the viewport in which the view shows what the image is to show.
        """
        if isinstance(stage, ModelStage):
            return self._scene.picture_of(stage.document, view, size, seen, is_transparent=is_transparent)
        width, height = size
        camera = view.camera.widened(seen[0] / seen[1], width / height)
        shown = replace(view, flash=frozenset(), camera=camera)
        try:
            if isinstance(stage, UnitStage):
                look = UnitLook(stage.unit, shown, (width, height), is_clear=is_transparent)
                return self.units.renderer.image(look, max(1.0, height / seen[1]))
            shown = on_transparent_ground(shown) if is_transparent else shown
            of_effect = stage.look(shown, (width, height)) if isinstance(stage, EffectStage) else None
            if of_effect is None:
                raise GraphicsError(_("nothing plays"))
            return self._effect_renderer.image(of_effect)
        except moderngl.Error as error:
            message = _("{width} x {height} pixels do not fit on the graphics card: {error}")
            raise MshviewError(message.format(width=width, height=height, error=error)) from error
