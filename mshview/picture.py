"""What pictures of models and effects show, and the renderers that draw them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from viewer.dataclass import dataclass
from viewer.formats.texture.pixels import Image
from viewer.model.effects.program import EffectInputs, EffectProgram
from viewer.model.game import game_folder
from viewer.model.store.file_store import FileStore
from viewer.operations.arguments import OneOf
from viewer.operations.effects import LoadedEffect
from viewer.operations.opening import Source
from viewer.render import offscreen
from viewer.render.effect_renderer import EffectRenderer
from viewer.render.offscreen import OffscreenRenderer, create_context
from viewer.resources import bundled_path
from viewer.session.opened.document import Document
from viewer.session.play import posing
from viewer.session.view import effect_look
from viewer.session.view.effect_look import EffectLook
from viewer.session.view.view_state import Background, Shading, ViewState

SHADINGS: Final = OneOf(tuple(map(str, Shading)))
_KEPT: Final[dict[type, Any]] = {}
"""The renderers of this process, each made for its first picture: a context is released with its process."""


@dataclass(frozen=True, slots=True)
class ModelPicture:
    """What a picture of a model shows: the parameters of `Model.render`."""

    source: Source
    size: tuple[int, int]
    time: float
    clip: int | None
    cell: tuple[int, int] | None
    angles: tuple[float | None, float | None]
    zoom: float
    shading: str

    def draw(self, store: FileStore) -> Image:
        """The picture, (h, w, 4) uint8; raises `MshviewError`."""
        document = Document.open(store, self.source)
        view = offscreen.plain_view(document)
        if self.cell is not None:
            view = replace(view, lod=self.cell[0], group=self.cell[1])
        if view.shading is Shading.TEXTURED or self.shading != Shading.TEXTURED:
            view = replace(view, shading=Shading(self.shading))  # without materials it stays lit
        view = posing.at(replace(view, playback=replace(view.playback, clip=self.clip)), self.time)
        width, height = self.size
        direction = offscreen.direction(*self.angles)
        (camera,) = offscreen.cameras(document, view, [self.time], [direction], width / height)
        view = replace(view, camera=offscreen.zoomed(camera, self.zoom))
        if OffscreenRenderer not in _KEPT:
            _KEPT[OffscreenRenderer] = OffscreenRenderer(document)
        renderer: OffscreenRenderer = _KEPT[OffscreenRenderer]
        with renderer.ctx:  # others may have been made since
            renderer.show(document)
            return renderer.image(view, self.size, is_transparent=True)


@dataclass(frozen=True, slots=True)
class EffectPicture:
    """What a picture of an effect shows: the parameters of `Effect.render`."""

    source: Source
    size: tuple[int, int]
    time: float
    seed: int
    mode: int | None
    angles: tuple[float | None, float | None]
    zoom: float

    def draw(self, store: FileStore) -> Image:
        """The picture, (h, w, 4) uint8; raises `MshviewError`."""
        item = store.open(self.source.address)
        game = game_folder.find(store, self.source.address.path, self.source.game, None)
        loaded = LoadedEffect.open(store, item, game.folder)
        program = EffectProgram.of(loaded.effect, self.seed)
        inputs = EffectInputs(self.time, mode=self.mode)
        width, height = self.size
        camera = effect_look.framed(offscreen.direction(*self.angles), program, inputs, width / height)
        view = ViewState(
            overlays=frozenset(),
            camera=offscreen.zoomed(camera, self.zoom),
            background=Background.TRANSPARENT,
        )
        look = EffectLook(program, loaded.materials, inputs, view, self.size)
        if EffectRenderer not in _KEPT:
            _KEPT[EffectRenderer] = EffectRenderer(create_context(), bundled_path("shaders"))
        renderer: EffectRenderer = _KEPT[EffectRenderer]
        with renderer.ctx, offscreen.drawing(loaded):  # others may have been made since
            return renderer.image(look)
