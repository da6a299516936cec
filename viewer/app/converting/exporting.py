"""Export: the question, what it will write, the writing, and the round trip that checks it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from viewer.app import loading
from viewer.app.images import exports
from viewer.app.jobs import Jobs
from viewer.app.loading import OpenOptions
from viewer.app.open_controller import OpenController
from viewer.app.state import State
from viewer.errors import MshviewError, OutputError
from viewer.model.convert import exchange
from viewer.model.convert.exchange import GLB, JSON, OBJ, SUFFIXES
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.round_trip import Trip, trip
from viewer.model.convert.scene import Scene
from viewer.model.convert.scene_parts.left_out import notes_of
from viewer.model.convert.source import ModelSource
from viewer.model.convert.text.writing import text_of
from viewer.model.kinds.registry import ARCHIVE, MODEL, PACKED, promised_kind
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import Container, FileStore, Item, entry_of
from viewer.model.store.writing import NewFile
from viewer.model.write import saving
from viewer.model.write.saving import FileNames
from viewer.operations.opening import title_of
from viewer.progress import Cancelled, Progress, checkpoint
from viewer.session.exporting import (
    ExportQuestion,
    ExportReport,
    ExportScope,
    Failure,
    ModelRoundTrips,
    Preview,
    RoundTripReport,
)
from viewer.session.opened.document import Document
from viewer.translation import _
from viewer.ui.converting.windows import LANE
from viewer.ui.widgets.field_text import counted, size_text

PREVIEW: Final = "export_preview"
"""The lane of the job that finds what will be written."""


class ExportController:
    """Keeps `State.converting.export`, and writes what it says; owner: the application, main thread only."""

    def __init__(self, state: State, jobs: Jobs, opener: OpenController) -> None:
        self._state = state
        self._jobs = jobs
        self._opener = opener

    def show(self, address: str = "", kind: str = "", scope: ExportScope = ExportScope.MODEL) -> None:
        """Ask how to export what is at an address, or in the active tab."""
        tab = self._state.tabs.active
        address = address or tab.address
        shown = tab.document or tab.resource
        if not address:
            return
        kind = kind or (MODEL.id if tab.document is not None else getattr(shown, "kind", ""))
        where, is_archive = Address.parse(address), kind in (ARCHIVE.id, PACKED.id)
        archive = address if is_archive else str(where.parent) if where.entries else ""
        is_open = tab.document is not None and address == tab.address
        view, last = self._state.view, self._state.settings.export
        is_text_of_part = (
            scope is ExportScope.SELECTION and last.suffix == JSON
        )  # the text of a model is all of it
        folder = Path(self._state.settings.save_folder or exports.default_folder())
        question = ExportQuestion(
            address,
            kind,
            archive,
            kind == MODEL.id,
            ExportScope.ARCHIVE if is_archive else scope,
            replace(last, suffix=GLB) if is_text_of_part else last,
            folder if folder.is_dir() else Path.home(),
            stem_of(where.name, kind),
            view.selection.nodes if is_open else (),
            (view.lod, view.group) if is_open else (0, 0),
        )
        self.ask(question)

    def ask(self, question: ExportQuestion) -> None:
        """Ask with these choices, remember them, and find what they will write."""
        asked = replace(question, preview=None)
        self._keep(asked)
        self._state.set(export=question.choices)
        sources = self._sources(question)

        def done(found: Preview) -> None:
            # By identity: other choices, or none, may be asked about meanwhile.
            if self._state.converting.export is asked:
                self._keep(replace(asked, preview=found))

        self._jobs.start(PREVIEW, "", lambda _: preview(sources, asked), done, self._opener.fail)

    def _keep(self, question: ExportQuestion | None) -> None:
        self._state.converting = replace(self._state.converting, export=question)

    def place(self, path: Path) -> None:
        """Export to another file or folder."""
        question = self._state.converting.export
        if question is None:
            return
        is_archive = question.scope is ExportScope.ARCHIVE
        folder, stem = (path, question.stem) if is_archive else (path.parent, path.stem)
        self.ask(replace(question, folder=folder, stem=stem))

    def run(self, *, is_wanted: bool) -> None:
        """Write what is asked, or only close the question."""
        question = self._state.converting.export
        self._keep(None)
        self._jobs.drop(PREVIEW)
        if question is None or not is_wanted:
            return
        self._state.set(save_folder=str(question.folder))
        sources = self._sources(question)
        if question.scope is ExportScope.ARCHIVE:
            self._write_archive(sources, question)
            return
        self._jobs.start(
            f"save {question.path}",
            _("Exporting {name}…").format(name=question.path.name),
            lambda _: write(sources, question),
            lambda size: self._state.announce(
                _("Exported as {path}, {size}").format(path=question.path, size=size_text(size))
            ),
            self._opener.fail,
        )

    def _write_archive(self, sources: Sources, question: ExportQuestion) -> None:
        def done(report: ExportReport) -> None:
            self._state.announce(summary(report), is_warning=bool(report.failures))
            if report.failures:
                self._state.converting = replace(self._state.converting, written=report)

        self._jobs.start(
            f"save {question.folder}",
            _("Exporting {name}…").format(name=Address.parse(question.archive).name),
            lambda progress: write_archive(sources, question, progress),
            done,
            self._opener.fail,
            is_background=True,
        )

    def close_report(self) -> None:
        """Close the report of an export."""
        self._state.converting = replace(self._state.converting, written=None)

    def _sources(self, question: ExportQuestion) -> Sources:
        """What the worker reads from: the files as they are now."""
        library = self._opener.library.snapshot()
        choices = self._opener.choices(question.archive or question.address)
        return Sources(library, *choices, tuple(self._state.tabs.documents))


def stem_of(name: str, kind: str) -> str:
    """The name of an exported file without its format: of a model its stem, of others the whole name."""
    plain = name.lstrip("#")
    return FileNames().add(Path(plain).stem if kind == MODEL.id else plain, 0)


def summary(report: ExportReport) -> str:
    """Say what the export of an archive has written."""
    written = counted(report.written, "{count} model", "{count} models")
    words = _("cancelled: {written} exported to {folder}") if report.is_cancelled else ""
    words = words or _("{written} exported to {folder}")
    return words.format(written=written, folder=report.folder)


def preview(sources: Sources, question: ExportQuestion) -> Preview:
    """What an export will write; an error is in it."""
    try:
        if question.scope is ExportScope.ARCHIVE:
            names = [name for name, _ in _targets(sources, question)]
            return Preview(tuple((name, 0) for name in names), replaced=_existing(question.folder, names))
        return _preview(sources, question)
    except MshviewError as error:
        return Preview(error=error.text)


def _preview(sources: Sources, question: ExportQuestion) -> Preview:
    item = sources.library.open(Address.parse(question.address))
    source = sources.source(item.address) if question.is_scene else None
    scene = _scene(question, source)
    checkpoint()
    files = _files(question, item, scene)
    # The requested file is the last of them, and is shown first.
    sizes = tuple((name, len(data)) for name, data in [*files.items()][::-1])
    replaced = _existing(question.folder, files)
    if scene is None or source is None:
        return Preview(sizes, replaced=replaced)
    shown = zip(scene.nodes, scene.chosen.shown, strict=True)
    meshes = [scene.meshes[node.cells[cell]] for node, cell in shown if cell is not None]
    is_moving = question.suffix != OBJ and any(node.track is not None for node in scene.nodes)
    return Preview(
        sizes,
        nodes=len(scene.nodes),
        triangles=sum(len(part.triangles) for mesh in meshes for part in mesh.primitives),
        materials=len(scene.materials),
        pictures=len(scene.pictures),
        clips=len(scene.clips) if is_moving else 0,
        frames=scene.frame_count if is_moving else 1,
        replaced=replaced,
        losses=scene.losses,
        notes=tuple(notes_of(source, scene)),
    )


def write(sources: Sources, question: ExportQuestion) -> int:
    """Write the files of one resource, all or none, and return their size; raises `MshviewError`."""
    item = sources.library.open(Address.parse(question.address))
    scene = _scene(question, sources.source(item.address) if question.is_scene else None)
    checkpoint()
    files = _files(question, item, scene)
    checkpoint()
    return _write(question.folder, files)


def write_archive(sources: Sources, question: ExportQuestion, progress: Progress) -> ExportReport:
    """Write the models of an archive, each whole or not at all; those that fail are named.

    Raises `MshviewError` if the archive cannot be read, and `OutputError` if the folder cannot be written.
    """
    try:
        question.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(error.strerror or str(error), source=str(question.folder)) from error
    targets = [*_targets(sources, question)]
    written = size = 0
    failures: list[Failure] = []
    try:
        for name, item in progress.over(targets, lambda target: target[0]):
            try:
                size += _write(question.folder, _target_files(sources, question, name, item))
                written += 1
            except OutputError:  # the next file could not be written either
                raise
            except MshviewError as error:
                failures.append(Failure(item.address.name, error.text))
    except Cancelled:
        return ExportReport(question.folder, written, size, tuple(failures), is_cancelled=True)
    return ExportReport(question.folder, written, size, tuple(failures))


def _target_files(sources: Sources, question: ExportQuestion, name: str, item: Item) -> Mapping[str, bytes]:
    if not question.is_scene:
        return {name: _text(item)}
    options = question.choices.options(question.cell, None)
    scene = scene_of(sources.source(item.address), options)
    return exchange.files_of(scene, question.suffix, Path(name).stem)


def _targets(sources: Sources, question: ExportQuestion) -> Iterator[tuple[str, Item]]:
    """Yield what is exported of an archive, with the names of the files."""
    archive = sources.library.open(Address.parse(question.archive))
    container = sources.library.container(archive)
    names = FileNames()
    for row in range(0 if container is None else len(container.entries)):
        item = _entry(archive, container, row)
        if item is not None and (not question.is_scene or promised_kind(item) is MODEL):
            text = item.entry.text if item.entry else item.address.name
            yield f"{names.add(text, row)}.{question.suffix}", item


def _entry(archive: Item, container: Container | None, row: int) -> Item | None:
    """An entry; None for one whose bytes cannot be found."""
    checkpoint()
    try:
        return None if container is None else entry_of(archive, container, row)
    except MshviewError:
        return None


def _scene(question: ExportQuestion, source: ModelSource | None) -> Scene | None:
    """The scene of a model; None of what is exported as JSON."""
    options = question.choices.options(question.cell, question.chosen_nodes)
    return None if source is None else scene_of(source, options)


def _files(question: ExportQuestion, item: Item, scene: Scene | None) -> Mapping[str, bytes]:
    """The files of one resource; the requested one is the last."""
    if scene is None:
        return {f"{question.stem}.{JSON}": _text(item)}
    return exchange.files_of(scene, question.suffix, question.stem)


def _text(item: Item) -> bytes:
    return "".join(text_of(promised_kind(item), item.data, item.entry)).encode()


def _write(folder: Path, files: Mapping[str, bytes]) -> int:
    saving.write([NewFile(folder / name, data) for name, data in files.items()])
    return sum(map(len, files.values()))


def _existing(folder: Path, names: Iterable[str]) -> tuple[str, ...]:
    """The names that files in a folder have already."""
    try:
        found = {path.name for path in folder.iterdir()}
    except OSError:
        return ()
    return tuple(name for name in names if name in found)


@dataclass(frozen=True, slots=True)
class Sources:
    """Reads models with their materials and clips.

    Parameters
    ----------
    library
        The files, with unsaved bytes laid over them.
    reading, lookup
        The user's choices for them.
    open_documents
        Models that need not be read.
    """

    library: FileStore
    reading: ReadingChoice
    lookup: OpenOptions
    open_documents: tuple[Document, ...] = ()

    def document(self, address: Address) -> Document:
        """The model at an address with its materials; raises `MshviewError`."""
        known = (it for it in self.open_documents if it.source.address == address and it.is_checked)
        found = next(known, None)
        if found is not None:
            return found
        source = loading.source_of(self.library, address, self.reading, self.lookup)
        return Document.open(self.library, source)

    def source(self, address: Address) -> ModelSource:
        """The model at an address as it is converted; raises `MshviewError`."""
        return source_of(self.document(address), self.library.open(address))


def source_of(document: Document, item: Item) -> ModelSource:
    """An open model as it is converted."""
    return ModelSource(
        title_of(item), document.model, document.choice, document.materials, document.controller
    )


def wear_names(document: Document) -> tuple[str, ...] | None:
    """The materials of the wear table of a model; None if there is none that is its own."""
    return document.materials.wear_names if document.materials.wear_source is not None else None


class RoundTripController:
    """Keeps `State.converting.trips`; owner: the application, main thread only."""

    def __init__(self, state: State, jobs: Jobs, opener: OpenController) -> None:
        self._state = state
        self._jobs = jobs
        self._opener = opener

    def check(self, address: str = "") -> None:
        """Check the models at an address, an archive or a model; without one the open model."""
        document = self._state.document
        if not address and document is None:
            return
        checked = Address.parse(address) if address or document is None else document.source.address
        started = RoundTripReport(str(checked))
        self._state.converting = replace(self._state.converting, trips=started)
        library = self._opener.library.snapshot()
        sources = Sources(library, *self._opener.choices(str(checked)), self._state.tabs.documents)

        def done(found: tuple[ModelRoundTrips, ...]) -> None:
            if self._state.converting.trips is started:
                report = RoundTripReport(str(checked), found, is_running=False)
                self._state.converting = replace(self._state.converting, trips=report)

        def failed(error: BaseException) -> None:
            done(())  # the report shows that it has ended
            self._opener.fail(error)

        self._jobs.start(
            LANE,
            _("Checking the round trip of {name}…").format(name=checked.name),
            lambda progress: _checked(sources, checked, progress),
            done,
            failed,
            is_background=True,
        )

    def close(self) -> None:
        """Close the report, and end the check that it waits for."""
        self._jobs.drop(LANE)
        self._state.converting = replace(self._state.converting, trips=None)


def _checked(sources: Sources, address: Address, progress: Progress) -> tuple[ModelRoundTrips, ...]:
    """The trips of every model at an address."""
    items = [*_models(sources.library, address)]
    steps = [(item, suffix) for item in items for suffix in SUFFIXES]
    found: dict[Address, list[Trip]] = {}
    for item, suffix in progress.over(steps, lambda step: step[0].address.name):
        found.setdefault(item.address, []).append(_trip(sources, item, suffix))
    return tuple(ModelRoundTrips(address.name, tuple(trips)) for address, trips in found.items())


def _models(library: FileStore, address: Address) -> Iterator[Item]:
    """Yield the model at an address, or those of the archive there."""
    item = library.open(address)
    container = library.container(item) if promised_kind(item).is_archive else None
    if container is None:
        yield item
        return
    for row in range(len(container.entries)):
        entry = entry_of(item, container, row)
        if promised_kind(entry) is MODEL:
            yield entry


def _trip(sources: Sources, item: Item, suffix: str) -> Trip:
    try:
        document = sources.document(item.address)
    except MshviewError as error:
        return Trip(suffix, differences=(error.text,))
    return trip(source_of(document, item), suffix, wear_names(document), item.entry)
