"""``render``: images of a model, without a window or a display."""

from __future__ import annotations

import io
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from msgspec.structs import replace

from viewer.cli import many, target
from viewer.cli.documents import open_document
from viewer.cli.models import store_for
from viewer.cli.output import ProgressLine
from viewer.cli.picturing import drawing, effect_options
from viewer.cli.picturing.process_renderer import drawing_jobs, renderer_of
from viewer.cli.processes import add_jobs
from viewer.cli.usage.arguments import add_cell, add_out, check_count, number, series_of, whole_number
from viewer.cli.usage.reading_arguments import add_reading
from viewer.cli.usage.values import Value, takes
from viewer.cli.usage.verbs import DONE
from viewer.cli.watching import add_watch
from viewer.errors import UsageError, reading_from
from viewer.formats.texture.pixels import Image
from viewer.model.clips.clip import FRAME_RATE
from viewer.model.convert.pictures import films
from viewer.model.convert.pictures.png import picture_png
from viewer.model.kinds.registry import EFFECT, MODEL, UNIT, kind_of
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.operations import arguments
from viewer.operations.corpus.many import OutputTask
from viewer.progress import checkpoint
from viewer.render import offscreen
from viewer.render.offscreen import OffscreenRenderer
from viewer.session.opened.document import Document
from viewer.session.play import filming, playing, posing
from viewer.session.play.material_play import GAME_VARIANT, MaterialPlay
from viewer.session.view.around import with_surroundings
from viewer.session.view.camera import FORWARD, Camera, Size
from viewer.session.view.view_state import ViewState
from viewer.translation import _

DEFAULT_SIZE: Final = "1024x768"
_SIZE: Final = "pixels, default {size}; for render a number alone is the size of an effect in the world"
SIZE_HELP: Final = _(_SIZE, size=DEFAULT_SIZE)
FILMS: Final = frozenset(films.FILM_SUFFIXES) - {".png"}
"""Suffixes for which a series is a film; as PNG it is numbered files."""
IDS_SUFFIX: Final = ".npy"
IDS_HELP: Final = _(
    "write OUT.npy: uint32 node + 1, batch + 1, triangle + 1 of every pixel as drawn: 0 in holes of "
    "materials, unlike --shading lit; with the image, unless OUT ends in .npy"
)
TIME_HELP: Final = _(
    "time in frames, default 0; {frame_rate:g} frames are one second of material time; with --clip seconds",
    frame_rate=FRAME_RATE,
)
FRAMES_HELP: Final = _("an image every STEP frames, with --clip seconds, from A to before B")
ANIMATE_HELP: Final = _(
    "one loop of a clip, by default that of --clip, else of what shows the model best: its walk, a clip that "
    "moves, all frames; OUT ends in .webp, .png, .gif, or, where PyAV is installed, .mp4 or .webm; without a "
    "CLIP it stands behind the paths"
)
RATE_HELP: Final = _("images per second of a film, default {usual_rate}", usual_rate=films.USUAL_RATE)
VARIANT_HELP: Final = _("block of the materials that have several, which is that of a clan; default 0")


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    many.add_inputs(parser)
    add = parser.add_argument
    add_out(
        parser,
        "OUT.png",
        _(
            "the image; a series is OUT_0000.png, OUT_0001.png, ..., or a film in one file that ends "
            "in .webp, .gif, .mp4 or .webm; - is standard output; {pattern_help}; {{lod}} and {{group}} "
            "are the requested ones, {{frame}} the number of an image, else at its end",
            pattern_help=many.PATTERN_HELP,
        ),
    )
    declare_view(parser, effect_options.PictureSize)
    add("--transparent", action="store_true", help="leave the background out")
    add("--ids", action="store_true", help=IDS_HELP)
    series = parser.add_mutually_exclusive_group()
    series.add_argument("--frames", metavar="A:B:STEP", help=FRAMES_HELP)
    series.add_argument(
        "--turntable", type=whole_number, metavar="N", help="N images from all around, right side first"
    )
    takes(
        series.add_argument("--animate", nargs="?", const="", metavar="CLIP", help=ANIMATE_HELP), Value.CLIP
    )
    add("--rate", type=number, metavar="N", help=RATE_HELP)
    effect_options.declare(parser)
    drawing.add_explode(parser)
    add_jobs(parser)
    add_watch(parser)
    add_reading(parser)


def declare_view(
    parser: ArgumentParser, size: str | type[Action] = "store", without: Sequence[str] = ()
) -> None:
    """Add what one image shows and how, but for some options; `size` is what is done with its size."""
    add = parser.add_argument
    add("--size", action=size, default=DEFAULT_SIZE, metavar="WxH", help=SIZE_HELP)
    add_cell(parser)
    words = "degrees from the front view (eye at +Y) towards the right side (+X), default 35"
    add("--yaw", type=number, metavar="D", help=words)
    add("--pitch", type=number, metavar="D", help="degrees above the ground, default 22")
    add("--zoom", type=number, default=1.0, metavar="F", help="magnification: 2 is twice as large")
    add("--time", type=number, default=0.0, metavar="T", help=TIME_HELP)
    add("--variant", type=whole_number, default=GAME_VARIANT, metavar="N", help=VARIANT_HELP)
    drawing.declare(parser, without=without)
    drawing.add_clip(parser)
    drawing.add_blend(parser)


def run(options: Namespace) -> int:
    """Write the requested images."""
    many.fill_cell(options, many.FRAME)
    size, count = size_of("render", options.size), _count(options)
    _check(options, size, count)
    if many.is_requested(options):
        return many.ManyFiles(
            "render",
            _kinds(options),
            "model",
            _write_one,
            _written,
            (options.wear, options.control),
            drawing_jobs,
        ).write(options)
    if target.is_standard(options) and count > 1:
        raise UsageError("a series of images cannot be standard output", source="render")
    target.check(options, *_written(options, Path(options.out)))
    store = store_for(options, options.addresses[0])
    item = store.open(Address.given(options.addresses[0]))
    if kind_of(item) is UNIT:
        _write_unit(options, store, item, size)
        return DONE
    work = _work(options, store, item, size, Path(options.out))
    with ProgressLine(work.count, _("images")) as progress:
        work.write(progress.advance)
    return DONE


def _write_one(options: Namespace, store: FileStore, task: OutputTask) -> None:
    """Draw one of many models or effects."""
    size = size_of("render", options.size)
    _work(options, store, store.open(task.found.address), size, task.path).write(checkpoint)


def _work(options: Namespace, store: FileStore, item: Item, size: Size, out: Path) -> _Work:
    """The images of an effect, or of the model that anything else is taken for."""
    if kind_of(item) is EFFECT:
        return _EffectWork(options, store, item, size, out)
    _check_for_model(options)
    return _ModelWork(options, store, open_document(options, item.address, store), size, out)


def _kinds(options: Namespace) -> frozenset[str]:
    """The drawn kinds of archives and folders: models and effects, unless options are for one of both."""
    kinds = {MODEL.id, EFFECT.id}
    from viewer.cli.picturing import effect_pictures  # noqa: PLC0415 not needed for a single model

    if options.animate or effect_pictures.option_of_models(options):
        kinds = {MODEL.id}
        _check_for_model(options)
    elif _option_of_effects(options):
        kinds = {EFFECT.id}
    return frozenset(kinds)


def _write_unit(options: Namespace, store: FileStore, item: Item, size: Size) -> None:
    """Write the images of a unit, one or from all around."""
    from viewer.cli.picturing import unit_pictures  # noqa: PLC0415 not needed for models

    _check_for_model(options)
    unit_pictures.check(options)
    pictures = unit_pictures.UnitPictures(options, store, item, size)
    camera, out = offscreen.direction(options.yaw, options.pitch), Path(options.out)
    cameras = [camera] if options.turntable is None else filming.turns(camera, options.turntable)
    _write_images(options, size, out, len(cameras), pictures.images(cameras))


def _write_images(options: Namespace, size: Size, out: Path, count: int, drawn: Iterator[Image]) -> None:
    """Write images, each into a file of its own, or all into that of a film."""
    if _is_film(options):
        _check_film(options, size, count)
        target.write(options, films.write(drawn, _suffix(options), _rate(options)), out)
        return
    for path, image in zip(many.numbered(options, out, count), drawn, strict=True):
        target.write(options, picture_png(image), path)


def _check_for_model(options: Namespace) -> None:
    """Refuse options that are for effects."""
    given = _option_of_effects(options)
    if given:
        raise UsageError(_("{given} is for an effect, not for a model", given=given), source="render")


def _option_of_effects(options: Namespace) -> str | None:
    """The first option that is given and says nothing about a model."""
    given = next((f"--{name}" for name in effect_options.NAMES if getattr(options, name) is not None), None)
    if given is None and options.effect_size is not None:
        given = f"--size {options.effect_size:g}"
    return given


class _Work(Protocol):
    """The images of one input: each in a file of its own, or all in the one of a film."""

    count: int

    def write(self, advance: Callable[[], None]) -> None:
        """Draw and write; `advance` is called after each image."""


class _EffectWork:
    """The images of an effect."""

    def __init__(self, options: Namespace, store: FileStore, item: Item, size: Size, out: Path) -> None:
        from viewer.cli.picturing import effect_pictures  # noqa: PLC0415 not needed for models

        effect_pictures.check(options)
        size_of_effect = 1.0 if options.effect_size is None else options.effect_size
        pictures = effect_pictures.EffectPictures(options, store, item, size, size_of_effect)
        times = None if options.animate is not None else _times(options)
        camera, turns = offscreen.direction(options.yaw, options.pitch), options.turntable
        cameras = filming.turns(camera, turns) if turns else [camera]
        appearances = pictures.appearances(times, _rate(options), cameras)
        self._options, self._size, self._out = options, size, out
        self._images, self.count = partial(effect_pictures.images, appearances), len(appearances)

    def write(self, advance: Callable[[], None]) -> None:
        """Draw and write; `advance` is called after each image."""
        _write_images(self._options, self._size, self._out, self.count, self._images(advance))


class _ModelWork:
    """The images of a model, and which triangles they show."""

    def __init__(
        self, options: Namespace, store: FileStore, document: Document, size: Size, out: Path
    ) -> None:
        if options.explode:
            raise UsageError("--explode is for a unit, not for a model", source="render")
        document = with_surroundings(store, document, options.show or ())
        self._options, self._document, self._size, self._out = options, document, size, out
        self._views = views("render", options, document, size[0] / size[1])
        self.count = len(self._views)

    def write(self, advance: Callable[[], None]) -> None:
        """Draw and write; `advance` is called after each image."""
        drawing.warn_if_empty(self._document, self._views[0])
        with renderer_of(self._document) as renderer:
            if not self._options.ids:
                images = self._images(renderer, advance)
                _write_images(self._options, self._size, self._out, self.count, images)
                return
            paths = many.numbered(self._options, self._out, self.count)
            for path, view in zip(paths, self._views, strict=True):
                # Both files of a view are drawn before either is written: drawing fails at its time limit.
                for file, data in [*_files(renderer, view, self._size, path, self._options)]:
                    target.write(self._options, data, file)
                advance()

    def _images(self, renderer: OffscreenRenderer, advance: Callable[[], None]) -> Iterator[Image]:
        for view in self._views:
            yield renderer.image(view, self._size, is_transparent=self._options.transparent)
            advance()


def size_of(verb: str, text: str) -> Size:
    """The width and height of a text; raises `UsageError`."""
    width, _separator, height = text.lower().partition("x")
    if not all(side.isdecimal() and len(side) <= len(str(arguments.MOST_PIXELS)) for side in (width, height)):
        raise UsageError(_("--size {text!r} is not WxH", text=text), source=verb)
    found: Size = arguments.checked(f"{verb}: --size", (int(width), int(height)))
    return found


def _times(options: Namespace) -> list[float]:
    """Times of the images, one if there is no series of frames."""
    if options.frames is None:
        return [options.time]
    return series_of("render", "--frames", options.frames, "images", filming.MOST_IMAGES)


def _count(options: Namespace) -> int:
    """Number of images that the options request; 1 for a film whose clip is not known yet."""
    return len(_times(options)) if options.turntable is None else options.turntable


def _suffix(options: Namespace) -> str:
    return Path(options.out).suffix.lower()


def _rate(options: Namespace) -> float:
    return films.USUAL_RATE if options.rate is None else options.rate


def _is_film(options: Namespace) -> bool:
    """Whether the images of a series go into one file."""
    is_series = options.frames is not None or options.turntable is not None
    return options.animate is not None or (is_series and _suffix(options) in FILMS)


def _check_film(options: Namespace, size: Size, count: int) -> None:
    with reading_from(f"-o {options.out}"):
        films.check(_suffix(options), size, count, _rate(options), is_transparent=options.transparent)


def _check_output(options: Namespace, size: Size, count: int) -> None:
    """Refuse a file name with another suffix, and what a film cannot be."""
    written = [".png", *([IDS_SUFFIX] if options.ids else [])]
    if options.animate:
        if options.clip is not None:
            raise UsageError("--animate and --clip both name a clip", source="render")
        options.clip = options.animate
    if _is_film(options):
        if options.ids:
            raise UsageError("--ids is for images, not for a film", source="render")
        if many.FRAME in options.out:
            raise UsageError(_("{frame} is for images, a film is one file", frame=many.FRAME), source="-o")
        if options.animate is not None and options.time:
            raise UsageError("--time is for an image, --animate shows a whole loop", source="render")
        _check_film(options, size, count)
    elif options.rate is not None:
        raise UsageError("--rate is for a film", source="render")
    elif _suffix(options) not in written and not (target.is_standard(options) and not options.ids):
        words = _("-o {out} does not end in {written}", out=options.out, written=" or ".join(written))
        raise UsageError(words, source="render")


def _check(options: Namespace, size: Size, count: int) -> None:
    """Refuse a file name with another suffix, and numbers without a valid camera."""
    if options.turntable is not None:
        check_count("render", "--turntable", options.turntable, "images", filming.MOST_IMAGES)
    _check_output(options, size, count)
    check_view("render", options)


def check_view(verb: str, options: Namespace) -> None:
    """Refuse numbers without a valid camera, material or second time; raises `UsageError`."""
    has_clip = options.clip is not None or (options.clip_b is not None and options.animate is not None)
    drawing.check_blend(verb, options, has_clip=has_clip)
    arguments.check_options(verb, ("pitch", "zoom", "variant"), options)


def views(verb: str, options: Namespace, document: Document, aspect: float) -> list[ViewState]:
    """Views by time or direction of the camera.

    Of the options of a series those that are absent ask for one view.
    """
    plain = ViewState(overlays=frozenset(), materials=MaterialPlay(clan=options.variant))
    plain = _in_cell(options, document, drawing.asked_for(verb, options, drawing.applied(options, plain)))
    played = drawing.playback(options, document, plain.playback.root)
    plain = replace(plain, playback=replace(played, machinery=plain.playback.machinery))
    if options.animate is not None and options.clip is None:
        plain = playing.play_first(plain, document)
        if plain.playback.clip is not None and plain.playback.blend is not None:
            raise UsageError("--animate shows a clip; --time-b blends frames", source=document.address)
    times = _times(options) if options.animate is None else filming.loop_of(document, plain, _rate(options))
    framed = offscreen.cameras(document, plain, times, _directions(options, len(times)), aspect)
    views = [
        replace(posing.at(plain, time), camera=offscreen.zoomed(camera, options.zoom))
        for time, camera in zip(cycle(times), framed, strict=False)
    ]
    return [document.with_detail(view, plain.group) for view in views]


def _in_cell(options: Namespace, document: Document, view: ViewState) -> ViewState:
    """The view in the requested cell; without one in the first that shows anything."""
    given = (options.lod, options.group, options.stage, options.current_lod)
    if view.drawn.is_own_view or any(it is not None for it in given):
        return view
    lod, group = document.chooser.nearest_cell(view.parts) or (0, 0)
    return replace(view, lod=lod, group=group)


def _directions(options: Namespace, count: int) -> list[Camera]:
    usual = Camera().towards(FORWARD) if options.own_view else Camera()
    camera = offscreen.direction(options.yaw, options.pitch, usual)
    if options.turntable is None:
        return [camera] * count
    return filming.turns(camera, options.turntable)


def _written(options: Namespace, out: Path) -> list[Path]:
    """All files that are written for a path."""
    paths = [out] if _is_film(options) else [*many.numbered(options, out, _count(options))]
    return [*paths, *(path.with_suffix(IDS_SUFFIX) for path in paths if options.ids)]


def _files(
    renderer: OffscreenRenderer, view: ViewState, size: Size, path: Path, options: Namespace
) -> Iterator[tuple[Path, bytes]]:
    """The files for one view with its ids: these, and the image unless they are all that was asked for."""
    if path.suffix.lower() != IDS_SUFFIX:
        yield path, picture_png(renderer.image(view, size, is_transparent=options.transparent))
    buffer = io.BytesIO()
    np.save(buffer, renderer.ids(view, size).astype("<u4"), allow_pickle=False)
    yield path.with_suffix(IDS_SUFFIX), buffer.getvalue()
