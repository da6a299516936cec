"""The files and the card of each model of a gallery; for worker processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from viewer.cli.gallery import pictures
from viewer.cli.gallery.card import Card, counts_of, extent_of
from viewer.cli.gallery.finding import FoundModel
from viewer.cli.gallery.model_script import model_script
from viewer.cli.gallery.reference import Reference
from viewer.cli.gallery.site_names import EARLIER, PICTURES, TURNTABLES, SiteNames
from viewer.errors import Diagnostic, MshviewError, Severity
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.disk import UnsavedFiles
from viewer.model.store.file_store import FileStore
from viewer.model.validation.batch_validation import BatchValidator, ValidationTask
from viewer.operations.opening import Source
from viewer.render.offscreen import GraphicsError, OffscreenRenderer
from viewer.render.targets import Size
from viewer.session.opened.document import Document
from viewer.session.view.view_state import ViewState
from viewer.translation import Sentence


@dataclass(frozen=True, slots=True)
class GalleryTask:
    """One model to show, and the beginning of the names of its files."""

    found: FoundModel
    stem: str


@dataclass(frozen=True, slots=True)
class Making:
    """What a gallery shows of every model; a worker process is started with it.

    Parameters
    ----------
    folder
        The folder that the files are written to.
    size, turn_size
        Of the pictures and of the turntables, pixels.
    turns
        Images of a turntable; 0 makes none.
    has_models
        Whether the models themselves are part of the site.
    reference
        The gallery to compare with.
    """

    folder: Path
    size: Size
    turn_size: Size
    turns: int
    has_models: bool = True
    game: Path | None = None
    requested: ReadingChoice = ReadingChoice.AUTO
    is_strict: bool = False
    unsaved: UnsavedFiles | None = None
    reference: Reference | None = None

    def begin(self) -> Callable[[GalleryTask], Card]:
        """Make what shows one model after the other."""
        return _Maker(self).card


class _Maker:
    """Shows models one after the other; files are read once."""

    def __init__(self, making: Making) -> None:
        self._making = making
        self._store = FileStore(unsaved=making.unsaved)
        self._validator = BatchValidator(making.game, making.requested, making.unsaved)

    def card(self, task: GalleryTask) -> Card:
        """Write the files of a model; raises `GraphicsError` if nothing can be drawn here at all."""
        found, shown = task.found, dict[str, bytes]()
        card = Card(found.label, found.name, found.holder, error=found.problem)
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
            card = replace(card, sha256=item.digest.hex(), size=len(item.data))
            reports = self._validator.check(ValidationTask(address, len(item.data)))
            card = card.with_problems(it for report in reports for it in report.diagnostics)
            source = Source(address, self._making.requested, None, self._making.game)
            document = Document.open(self._store, replace(source, is_strict=self._making.is_strict))
            card = card.with_problems(document.findings)
            result = self._drawn(task, card, document)
            item.made.clear()
        except MshviewError as error:
            if isinstance(error, GraphicsError) and not error.source:
                raise
            return replace(card, error=": ".join(it for it in (error.where, error.message) if it)), {}
        return result

    def _drawn(self, task: GalleryTask, card: Card, document: Document) -> tuple[Card, dict[str, bytes]]:
        view = pictures.plain_view(document)
        card = replace(card, counts=counts_of(document, view), extent=extent_of(document, view))
        if not card.counts["triangles"]:
            return card, {}
        drawn, turning, left_out = self._images(document, view)
        card = replace(card, pictures=self._written(PICTURES, task.stem, drawn))
        card = card.with_problems(_incomplete(left_out))
        if turning:
            card = replace(card, turntable=self._write(SiteNames.picture(TURNTABLES, task.stem), turning))
        if self._making.has_models:
            card = self._with_model(card, task.stem, document, view)
        return card, drawn

    def _images(self, document: Document, view: ViewState) -> tuple[dict[str, bytes], bytes, int]:
        """Pictures by camera, a turntable if there shall be one, and the triangles that are left out."""
        making, renderer = self._making, _renderer(document)
        with renderer.ctx:  # others may have been made since
            renderer.show(document)
            drawn, left_out = pictures.pictures(renderer, view, making.size), renderer.left_out
            turns = making.turns
            turning = pictures.turntable(renderer, view, making.turn_size, turns) if turns else b""
        return drawn, turning, left_out

    def _with_model(self, card: Card, stem: str, document: Document, view: ViewState) -> Card:
        try:
            script = model_script(stem, document, view)
        except MshviewError as error:
            message = Sentence("cannot be exported: {problem}", problem=error.message)
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


@cache
def _renderers() -> list[OffscreenRenderer]:
    """The renderer of this process, if there is one: a context is only released with its process."""
    return []


def _renderer(document: Document) -> OffscreenRenderer:
    """The renderer of this process; the first document is loaded. Raises `GraphicsError`."""
    if not _renderers():
        _renderers().append(OffscreenRenderer(document))
    return _renderers()[0]


def _incomplete(left_out: int) -> list[Diagnostic]:
    if not left_out:
        return []
    message = Sentence("the pictures leave out {count} triangles, which would take too long", count=left_out)
    return [Diagnostic("", Severity.WARNING, message)]
