"""Pictures of models and effects, and the renderers that draw them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import UsageError
from viewer.formats.neighbors.component import BodyMotion
from viewer.formats.texture.pixels import Image
from viewer.model.effects.program import EffectInputs, EffectProgram
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.arguments import Numbers, checked
from viewer.operations.effects.effects import LoadedEffect
from viewer.operations.given_options import with_options
from viewer.operations.opening import Source
from viewer.render import offscreen
from viewer.render.effect_renderer import EffectRenderer
from viewer.render.offscreen import OffscreenRenderer, create_context
from viewer.session.opened.document import Document
from viewer.session.play import posing
from viewer.session.play.machinery import MOST_SPEED, MOST_TURN
from viewer.session.view import effect_look
from viewer.session.view.around import with_surroundings
from viewer.session.view.camera import FORWARD, Camera
from viewer.session.view.effect_look import EffectLook
from viewer.session.view.options.background import Background
from viewer.session.view.options.lighting import LightKind
from viewer.session.view.skies import read_sky, with_sky, without_sky
from viewer.session.view.view_state import ViewState
from viewer.translation import _

SPEEDS: Final = Numbers(-MOST_SPEED, MOST_SPEED)
TURNS: Final = Numbers(-MOST_TURN, MOST_TURN)
_KEPT: Final[dict[type, Any]] = {}
"""The renderers of this process, each made for its first picture: a context is released with its process."""


class GivenLight(Struct, frozen=True):
    """Lights of a picture; those of a sky if one is given.

    Attributes
    ----------
    hour
        0 to 24; None for that at which the clock of the sky starts.
    """

    kind: LightKind | None = None
    sky: str | None = None
    hour: float | None = None

    def shown_in(self, view: ViewState, store: FileStore) -> ViewState:
        """A view in these lights; raises `MshviewError` if the sky cannot be read."""
        if self.sky is not None:
            return with_sky(view, read_sky(store, Address.given(self.sky), self.hour))
        return view if self.kind is None else replace(view, lighting=replace(view.lighting, kind=self.kind))


def light_of(
    sky: str | os.PathLike[str] | None, hour: float | None, options: Mapping[str, Any]
) -> GivenLight:
    """The lights of arguments; raises `UsageError` for wrong ones, and if what needs a sky has none."""
    kind = options.get("light")
    path = None if sky is None else str(sky)
    if path is not None and kind not in (None, LightKind.SKY):
        raise UsageError(_("{one} and {other} name different lights", one=f"light={kind}", other="sky"))
    name = "light" if kind is LightKind.SKY else without_sky(options)
    name = "hour" if name is None and hour is not None else name
    if path is None and name is not None:
        raise UsageError(_("{option} needs {sky}", option=name, sky="sky"))
    return GivenLight(kind, path, hour)


def motion_of(speed: float, turn: float) -> BodyMotion:
    """Motion of an object by arguments; raises `UsageError`."""
    return BodyMotion(speed=checked("speed", speed, SPEEDS), turn=checked("turn", turn, TURNS))


class ModelPicture(Struct, frozen=True):
    """A picture of a model: the parameters of `Model.render`."""

    source: Source
    size: tuple[int, int]
    time: float
    clip: int | None
    cell: tuple[int, int] | None
    angles: tuple[float | None, float | None]
    zoom: float
    light: GivenLight
    motion: BodyMotion
    options: Mapping[str, Any]

    def draw(self, store: FileStore) -> Image:
        """The picture, (h, w, 4) uint8; raises `MshviewError`."""
        document = Document.open(store, self.source)
        view = with_options(offscreen.plain_view(document), self.options)
        document = with_surroundings(store, document, view.overlays)
        machinery = replace(view.playback.machinery, motion=self.motion)
        view = replace(view, playback=replace(view.playback, machinery=machinery))
        view = self.light.shown_in(view, store)
        if self.cell is not None:
            view = replace(view, lod=self.cell[0], group=self.cell[1])
        view = posing.at(replace(view, playback=replace(view.playback, clip=self.clip)), self.time)
        width, height = self.size
        usual = Camera().towards(FORWARD) if view.drawn.is_own_view else Camera()
        direction = offscreen.direction(*self.angles, usual)
        (camera,) = offscreen.cameras(document, view, [self.time], [direction], width / height)
        view = replace(view, camera=offscreen.zoomed(camera, self.zoom))
        if OffscreenRenderer not in _KEPT:
            _KEPT[OffscreenRenderer] = OffscreenRenderer(document)
        renderer: OffscreenRenderer = _KEPT[OffscreenRenderer]
        with renderer.ctx:  # others may have been made since
            renderer.show(document)
            return renderer.image(view, self.size, is_transparent=True)


class EffectPicture(Struct, frozen=True):
    """A picture of an effect: the parameters of `Effect.render`."""

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
        game = self.source.find_game(store)
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
            _KEPT[EffectRenderer] = EffectRenderer(create_context())
        renderer: EffectRenderer = _KEPT[EffectRenderer]
        with renderer.ctx, offscreen.drawing(loaded):  # others may have been made since
            return renderer.image(look)
