"""The card of each model or effect of a gallery and its files, made in worker processes."""

from __future__ import annotations

import base64
import gzip
import json
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from math import tau
from pathlib import Path
from typing import Final

import PIL.Image
from msgspec import Struct
from msgspec.structs import replace

from viewer.cli.gallery.card import (
    CAMERAS,
    EARLIER,
    PICTURES,
    TURNTABLES,
    Card,
    SiteNames,
    counts_of,
    extent_of,
    material_counts,
)
from viewer.cli.gallery.reference import Reference
from viewer.cli.picturing import drawing, effect_pictures
from viewer.cli.picturing.process_renderer import renderer_of
from viewer.diagnostics import Diagnostic
from viewer.errors import MshviewError, Severity
from viewer.formats.msh.nodes import GROUPS, LODS
from viewer.formats.texture.pixels import Image
from viewer.model.clips.clip import FRAME_RATE
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.options import Clips, Options
from viewer.model.convert.scene import Scene, SceneClip
from viewer.model.kinds.registry import EFFECT, kind_of
from viewer.model.mesh.cell_names import CellNames
from viewer.model.store.disk import UnsavedFiles
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.model.validation.batch_validation import BatchValidator, ValidationTask
from viewer.operations.corpus.many import FoundItem
from viewer.operations.effects.effects import LoadedEffect
from viewer.operations.opening import Source
from viewer.operations.reading_options import USUAL, ReadingOptions
from viewer.render import offscreen
from viewer.render.offscreen import GraphicsError, OffscreenRenderer
from viewer.session.opened.document import Document
from viewer.session.play.effect_play import inputs_of, is_repeated
from viewer.session.play.playback import EffectSettings
from viewer.session.view.camera import Camera, Side, Size
from viewer.session.view.effect_look import EffectLook, framed, life
from viewer.session.view.options.background import Background
from viewer.session.view.view_state import ViewState
from viewer.translation import _, readable

SIZE: Final[Size] = (640, 480)
TURN_SIZE: Final[Size] = (240, 180)
LEVEL: Final = 6
"""Level of the compression of pictures: higher ones take longer and save a hundredth."""
WHOLE: Final = "whole animation"


def script_of(stem: str, data: bytes, names: CellNames) -> bytes:
    """The script that hands a GLB file to the page under the name `stem`, with the name of each cell."""
    packed = base64.b64encode(gzip.compress(data, LEVEL, mtime=0))
    cells = [[names.cell(lod, group) for group in range(GROUPS)] for lod in range(LODS)]
    return b'gallery.take(%s,"%s",%s);\n' % (json.dumps(stem).encode(), packed, json.dumps(cells).encode())


def scene(document: Document, view: ViewState) -> Scene:
    """A model with all its cells, the one of a view first, and with its whole animation before its clips."""
    options = Options((view.lod, view.group), has_all_cells=True, fps=FRAME_RATE, clips=Clips.CLIPS)
    found = scene_of(document.to_convert(document.source.address.name), options)
    return replace(found, clips=(_whole(found), *found.clips))


def _whole(found: Scene) -> SceneClip:
    """The animation of all frames as a clip, whose times are seconds."""
    moving = {index: node.track for index, node in enumerate(found.nodes) if node.track is not None}
    tracks = {index: replace(track, times=track.times / FRAME_RATE) for index, track in moving.items()}
    return SceneClip(WHOLE, 0.0, float(found.frame_count - 1), tracks=tracks)


_FLAT: Final = Camera(is_orthographic=True)
_DIRECTIONS: Final = (Camera(), *(_FLAT.towards(side) for side in (Side.FRONT, Side.RIGHT, Side.TOP)))
"""The fixed cameras; those along an axis show it in parallel projection."""
PICTURE: Final = {"quality": 86, "method": 2, "exact": True}
"""Packing of a picture; the usual effort, 4 of 6, takes twice as long and saves a thirtieth."""
TURN: Final = {"quality": 72, "method": 0, "kmin": 0, "kmax": 0}
"""Packing of a turntable: images as key frames too would take as long again, for a larger file."""
TURN_MS: Final = 2400
"""Duration of one turn."""
STILL: Final = 0.4
"""Share of a round of an effect that its pictures show."""


def pictures(renderer: OffscreenRenderer, view: ViewState, size: Size) -> dict[str, bytes]:
    """A file per fixed camera, by its name; raises `GraphicsError`."""
    found: dict[str, bytes] = {}
    for name, direction in zip(CAMERAS, _DIRECTIONS, strict=True):
        camera, *_ignored = offscreen.cameras(renderer.document, view, [0.0], [direction], size[0] / size[1])
        image = renderer.image(replace(view, camera=camera), size, is_transparent=True)
        found[name] = _webp([image], PICTURE)
    return found


def turntable(renderer: OffscreenRenderer, view: ViewState, size: Size, count: int) -> bytes:
    """An animated file with `count` images from all around, beginning with three quarters."""
    first = _DIRECTIONS[0]
    around = [replace(first, yaw=first.yaw + tau * turn / count) for turn in range(count)]
    framed = offscreen.cameras(renderer.document, view, [0.0], around, size[0] / size[1])
    images = [renderer.image(replace(view, camera=it), size, is_transparent=True) for it in framed]
    return _webp(images, TURN)


def effect_appearances(
    loaded: LoadedEffect, cameras: Sequence[Camera], moments: Sequence[float], size: Size
) -> Iterator[EffectLook]:
    """The appearances of an effect from some cameras at some moments, shares of a round."""
    whole, settings = life(loaded.effect), EffectSettings()
    # What goes on without end has its usual look after a round: streams are full.
    start = 0.0 if is_repeated(loaded.effect) else whole
    for direction in cameras:
        camera = framed(direction, loaded.program, inputs_of(settings, 0.0), size[0] / size[1])
        view = ViewState(overlays=frozenset(), camera=camera, background=Background.TRANSPARENT)
        for moment in moments:
            inputs = inputs_of(settings, start + moment * whole)
            yield EffectLook(loaded.program, loaded.materials, inputs, view, size)


def _webp(images: Sequence[Image], how: Mapping[str, int], milliseconds: int = TURN_MS) -> bytes:
    buffer = BytesIO()
    first, *others = map(PIL.Image.fromarray, images)
    more = {"append_images": others, "duration": milliseconds // len(images), "loop": 0} if others else {}
    first.save(buffer, "WEBP", save_all=bool(others), **how, **more)
    return buffer.getvalue()


class GalleryTask(Struct, frozen=True):
    """A model to show, and the beginning of the names of the files."""

    found: FoundItem
    stem: str


class Making(Struct, frozen=True):
    """The options of the cards of a gallery, with which a worker process is started.

    Parameters
    ----------
    folder
        The folder that the files are written to.
    options
        Those of the verb.
    reading
        Those of reading.
    reference
        The gallery to compare with.
    """

    folder: Path
    options: Namespace
    reading: ReadingOptions = USUAL
    unsaved: UnsavedFiles | None = None
    reference: Reference | None = None

    def begin(self) -> Callable[[GalleryTask], Card]:
        """Make what shows one model after the other."""
        return _CardMaker(self).card


class _CardMaker:
    """Shows models one after the other; files are read once."""

    def __init__(self, making: Making) -> None:
        self._making, self._options = making, making.options
        self._store = FileStore(unsaved=making.unsaved)
        self._validator = BatchValidator(making.reading.game, making.reading.reading, making.unsaved)

    def card(self, task: GalleryTask) -> Card:
        """Write the files of a model; raises `GraphicsError` if nothing can be drawn here at all."""
        found, shown = task.found, dict[str, bytes]()
        label, name, holder = map(readable, (found.label, found.name, found.holder))
        card = Card(label, name, holder, error=readable(found.problem))
        if not card.error:
            card, shown = self._shown(task, card)
        card = card.without_place(found.base)
        if self._making.reference is not None:
            card, earlier = self._making.reference.compare(card, shown)
            card = replace(card, earlier=self._written(EARLIER, task.stem, earlier))
        return card

    def _shown(self, task: GalleryTask, card: Card) -> tuple[Card, dict[str, bytes]]:
        """The card of a model and its pictures, which are written; nothing read for it is kept."""
        address = task.found.address
        try:
            item = self._store.open(address)
            card = replace(card, kind=kind_of(item).id, sha256=item.digest.hex(), size=len(item.data))
            reports = self._validator.check(ValidationTask(address, len(item.data)))
            card = card.with_problems(it for report in reports for it in report.diagnostics)
            if card.kind == EFFECT.id:
                return self._played(task, card, item)
            document = Document.open(self._store, Source(address, self._making.reading))
            card = replace(card.with_problems(document.findings), called=document.called)
            result = self._drawn(task, card, document)
            item.made.clear()
        except MshviewError as error:
            if isinstance(error, GraphicsError) and not error.source:
                raise
            return replace(card, error=": ".join(it for it in (error.where, error.message) if it)), {}
        return result

    def _played(self, task: GalleryTask, card: Card, item: Item) -> tuple[Card, dict[str, bytes]]:
        """The card of an effect and its pictures."""
        game = self._making.reading.find_game(self._store, item.address.path).folder
        loaded = LoadedEffect.open(self._store, item, game)
        card = card.with_problems(loaded.problems)
        card = replace(card, counts=material_counts([it for it in loaded.materials if it is not None]))
        appearances = effect_appearances(loaded, _DIRECTIONS, (STILL,), SIZE)
        images = effect_pictures.images(appearances)
        named = zip(CAMERAS, images, strict=True)
        drawn: dict[str, bytes] = {name: _webp([image], PICTURE) for name, image in named}
        card = replace(card, pictures=self._written(PICTURES, task.stem, drawn))
        if count := self._options.turntable:
            moments = [number / count for number in range(count)]
            appearances = effect_appearances(loaded, _DIRECTIONS[:1], moments, TURN_SIZE)
            film = _webp([*effect_pictures.images(appearances)], TURN, round(1000 * life(loaded.effect)))
            card = replace(card, turntable=self._write(SiteNames.picture(TURNTABLES, task.stem), film))
        return card, drawn

    def _drawn(self, task: GalleryTask, card: Card, document: Document) -> tuple[Card, dict[str, bytes]]:
        view = self._view(document)
        card = replace(card, counts=counts_of(document, view), extent=extent_of(document, view))
        if not card.counts["triangles"]:
            return card, {}
        turns = self._options.turntable
        with renderer_of(document) as renderer:
            drawn = pictures(renderer, view, SIZE)
            turning = turntable(renderer, view, TURN_SIZE, turns) if turns else b""
        card = replace(card, pictures=self._written(PICTURES, task.stem, drawn))
        if turning:
            card = replace(card, turntable=self._write(SiteNames.picture(TURNTABLES, task.stem), turning))
        if not self._options.no_models:
            card = self._with_model(card, task.stem, document, view)
        return card, drawn

    def _view(self, document: Document) -> ViewState:
        """The view of a model as the options say, in the nearest cell that shows anything then."""
        view = drawing.applied(self._options, offscreen.plain_view(document))
        cell = None if view.drawn.is_own_view else document.chooser.nearest_cell(view.parts)
        return view if cell is None else replace(view, lod=cell[0], group=cell[1])

    def _with_model(self, card: Card, stem: str, document: Document, view: ViewState) -> Card:
        try:
            script = script_of(stem, glb_of(scene(document, view)), document.cell_names)
        except MshviewError as error:
            message = _("cannot be exported: {problem}", problem=error.message)
            return card.with_problems([Diagnostic("", Severity.WARNING, message)])
        return replace(card, model=self._write(SiteNames.model(stem), script))

    def _written(self, folder: str, stem: str, files: Mapping[str, bytes]) -> dict[str, str]:
        """Write pictures and return their names by camera."""
        return {
            camera: self._write(SiteNames.picture(folder, stem, camera), data)
            for camera, data in files.items()
        }

    def _write(self, name: str, data: bytes) -> str:
        (self._making.folder / name).write_bytes(data)
        return name
