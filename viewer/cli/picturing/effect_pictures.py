"""Images of effects, without a window or a display."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from viewer.cli import output
from viewer.cli.inputs import findings_in, reading_options
from viewer.cli.picturing import effect_options, machinery
from viewer.cli.usage.arguments import check_count
from viewer.errors import UsageError
from viewer.formats.texture.pixels import Image
from viewer.model.effects.program import EffectProgram
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.operations.effects.effects import LoadedEffect
from viewer.operations.given_options import parameters
from viewer.render import offscreen
from viewer.render.effect_renderer import EffectRenderer
from viewer.render.offscreen import create_context
from viewer.session.play.filming import MOST_IMAGES
from viewer.session.view.camera import Camera, Size
from viewer.session.view.effect_look import EffectLook, framed, life
from viewer.session.view.options.background import Background
from viewer.session.view.view_state import ViewState
from viewer.translation import _

FOR_MODELS: Final = (
    *(
        "ids",
        "clip",
        "clip_b",
        "time_b",
        "blend",
        "channel",
        "lod",
        "group",
        "stage",
        "current_lod",
        "portals",
        "show",
    ),
    *parameters(ViewState),
    *(
        "light",
        "sky",
        "hour",
        "head_light",
        *machinery.NAMES,
        "ground_uv",
        "ground",
        "wear",
        "control",
    ),
)
"""Options of ``render`` that say nothing about an effect."""


_KEPT: Final[list[EffectRenderer]] = []
"""The renderer of this process, if there is one: a context is only released with its process."""


def option_of_models(options: Namespace) -> str | None:
    """The first option that is given and says nothing about an effect."""
    return next((name for name in FOR_MODELS if getattr(options, name, None)), None)


def check(options: Namespace) -> None:
    """Refuse options that are for models; raises `UsageError`."""
    given = option_of_models(options)
    if given or options.animate:
        name = f"--{(given or 'animate').replace('_', '-')}"
        what = _("takes no clip for an effect") if not given else _("is for a model, not for an effect")
        raise UsageError(f"{name} {what}", source="render")


class EffectPictures:
    """The images of an effect, one per time or direction of the camera."""

    def __init__(self, options: Namespace, store: FileStore, item: Item, pixels: Size, size: float) -> None:
        self._options, self._pixels = options, pixels
        game = reading_options(options).find_game(store, item.address.path)
        loaded = LoadedEffect.open(store, item, game.folder)
        self._program = EffectProgram.of(loaded.effect, effect_options.seed(options))
        self._materials = loaded.materials
        problems = findings_in(options, item, loaded.problems)
        output.report(item.address, problems, is_strict=options.strict)
        self._inputs = effect_options.inputs("render", options, options.time, size)

    def appearances(
        self, times: Sequence[float] | None, rate: float, cameras: Sequence[Camera]
    ) -> list[EffectLook]:
        """The appearances of the images: at some times, or in a round, from one or several sides."""
        whole = life(self._program.effect, self._options.mode)
        if times is None:
            count = max(1, round(whole * rate))
            check_count("render", "--animate", count, "images", MOST_IMAGES)
            times = [whole * number / count for number in range(count)]
        aspect = self._pixels[0] / self._pixels[1]
        framed_cameras = [framed(it, self._program, self._inputs, aspect) for it in cameras]
        found = []
        for index in range(max(len(times), len(cameras))):
            seconds = times[min(index, len(times) - 1)]
            inputs = effect_options.inputs("render", self._options, seconds, self._inputs.size)
            camera = framed_cameras[min(index, len(cameras) - 1)]
            view = ViewState(
                overlays=frozenset(),
                camera=offscreen.zoomed(camera, self._options.zoom),
                background=Background.TRANSPARENT if self._options.transparent else Background.DARK,
            )
            own = self._options.eye is not None
            found.append(
                EffectLook(self._program, self._materials, inputs, view, self._pixels, keeps_eye=own)
            )
        return found


def images(appearances: Iterable[EffectLook], advance: Callable[[], object] = dict) -> Iterator[Image]:
    """Draw effects as they appear; `advance` is called after each; raises `GraphicsError`."""
    if not _KEPT:
        _KEPT.append(EffectRenderer(create_context()))
    renderer = _KEPT[0]
    for look in appearances:
        with renderer.ctx:  # others may have been made since
            image = renderer.image(look)
        yield image
        advance()
