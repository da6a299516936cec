"""Several models in one space, as a unit of its parts: its picture, and which part is at a pixel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import moderngl
from msgspec.structs import replace

from viewer.formats.texture.pixels import Image
from viewer.render.offscreen import drawing
from viewer.render.passes.textured import MODES
from viewer.render.portions import Frame
from viewer.render.renderer import IMAGE_SECONDS, Renderer, UploadedModel
from viewer.render.targets import RenderTarget
from viewer.render.textures import texels
from viewer.render.textures.texels import MaterialTexture, Texels
from viewer.session.opened.document import Document
from viewer.session.play.machinery import drawn_states
from viewer.session.play.model_effects import PlayedEffect
from viewer.session.play.unit_posing import PlacedPart, UnitLook, placed, played, with_depths
from viewer.session.selection import PickHit
from viewer.session.view.options.textures import TextureSwitches
from viewer.session.view.view_state import ViewState

CAPACITY: Final = 128 * 1024 * 1024
"""Budget of the textures, bytes."""
SCREEN_SECONDS: Final = 2.0
"""Time limit of a picture on screen, for which the window waits."""


class UnitRenderer:
    """Draws the models of a unit one over the other, with one depth; owner: the app or a verb.

    Main thread only. What can be seen through is blended part by part, so that of another part behind it
    may be missing.

    Parameters
    ----------
    ctx
        Its context, which lives longer.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self._renderer = Renderer(ctx, CAPACITY)
        self._target, self._picture = RenderTarget(ctx), RenderTarget(ctx)
        self._models: dict[int, tuple[Document, UploadedModel]] = {}

    def load(self, look: UnitLook) -> None:
        """Upload the models of a unit; those that are not part of it are forgotten."""
        documents = {id(it): it for it in look.unit.documents.values()}
        # Keyed by `id`, which Python uses again for a new object: the document itself is compared, and kept
        # alive.
        kept = {key: it for key, it in self._models.items() if documents.get(key) is it[0]}
        new = {key: (it, self._load(it)) for key, it in documents.items() if key not in kept}
        self._models = {**kept, **new}

    def _load(self, document: Document) -> UploadedModel:
        with drawing(document):
            return self._renderer.load_document(document)

    def requested_textures(self, switches: TextureSwitches) -> list[MaterialTexture]:
        """Textures of the materials that are not uploaded yet."""
        found: list[MaterialTexture] = []
        for _document, uploaded in self._models.values():
            self._renderer.show(uploaded)
            found += self._renderer.requested_textures(switches)
        return found

    @property
    def texture_limit(self) -> int:
        """The longest side of a texture."""
        return self._renderer.texture_limit

    def provide(self, texels: Texels) -> None:
        """Upload a decoded texture."""
        self._renderer.provide(texels)

    @property
    def pixel_scale(self) -> float:
        """Content scale of the screen, which multiplies line widths."""
        return self._renderer.pixel_scale

    @pixel_scale.setter
    def pixel_scale(self, scale: float) -> None:
        self._renderer.pixel_scale = scale

    def draw(self, look: UnitLook) -> int:
        """Draw a look and return the GL name of its image, lowest row first.

        Raises `GraphicsError`, also after `SCREEN_SECONDS`.
        """
        self._draw(self._target, look, SCREEN_SECONDS, is_image=look.is_clear)
        return self.texture

    def _draw(
        self,
        target: RenderTarget,
        look: UnitLook,
        seconds: float,
        *,
        is_image: bool,
        line_scale: float = 1.0,
    ) -> None:
        self.load(look)
        parts = placed(look.unit, look.view)
        effects = played(look.unit, look.view, parts)
        for at, (part, view) in enumerate(self._shown(look, parts, effects)):
            with drawing(part.document):
                if view.shading in MODES:
                    self._renderer.take_phases(drawn_states(part.document, view))
                frame = Frame(view, part.pose, look.size, effects=effects, is_last=at == len(parts) - 1)
                begun = self._renderer.begin_image(frame, is_transparent=look.is_clear, line_scale=line_scale)
                # A sheet is not resolved until all have drawn: the samples of all parts are needed for smooth
                # edges between them.
                image = replace(begun, target=target, sheet=look.size)
                image = replace(image, is_over=at > 0, is_image=is_image)
                self._renderer.advance_drawing(image, seconds)
                image.portions.check(seconds)
        target.resolve()

    @property
    def texture(self) -> int:
        """The GL name of the last image, also of one that is not whole."""
        return int(self._target.texture.glo)

    def _shown(
        self, look: UnitLook, parts: tuple[PlacedPart, ...], effects: tuple[PlayedEffect, ...] = ()
    ) -> Iterator[tuple[PlacedPart, ViewState]]:
        """The parts one after the other, each while its model is shown."""
        # Depths of two parts are only comparable with the same near and far planes.
        camera = with_depths(parts, look.view.camera, effects)
        for part in parts:
            self._renderer.show(self._models[id(part.document)][1])
            yield part, replace(part.view, camera=camera)

    def image(self, look: UnitLook, line_scale: float = 1.0) -> Image:
        """The image of a look with all textures, (h, w, 4), top row first; raises `GraphicsError`.

        What is on screen stays. `line_scale` is how much wider lines are than there.
        """
        self.load(look)
        if look.view.shading in MODES:
            for texture in self.requested_textures(look.view.textures):
                self.provide(texels.decode(texture, look.view.textures, self.texture_limit))
        self._draw(self._picture, look, IMAGE_SECONDS, is_image=True, line_scale=line_scale)
        return self._picture.pixels()

    def hits(self, look: UnitLook, x: int, y: int) -> list[tuple[PlacedPart, PickHit]]:
        """The parts at a pixel counted from the top left, from near to far, each with its triangle."""
        return self._hits(look, lambda frame: self._renderer.pick(frame, x, y))

    def exact_hits(self, look: UnitLook, x: int, y: int) -> list[tuple[PlacedPart, PickHit]]:
        """The parts at a pixel like `hits`, by an image of ids, which is slower; raises `GraphicsError`."""
        return self._hits(look, lambda frame: self._renderer.hit(frame, x, y))

    def _hits(
        self, look: UnitLook, pick: Callable[[Frame], PickHit | None]
    ) -> list[tuple[PlacedPart, PickHit]]:
        self.load(look)
        found = []
        for part, view in self._shown(look, placed(look.unit, look.view)):
            with drawing(part.document):
                hit = pick(Frame(view, part.pose, look.size))
            if hit is not None:
                found.append((part, hit))
        return sorted(found, key=lambda it: it[1].distance)
