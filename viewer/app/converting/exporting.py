"""Exporting in a worker thread: what will be written, one resource, a whole archive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from viewer.app.converting.sources import Sources, source_of
from viewer.errors import MshviewError, OutputError
from viewer.model.convert import exchange
from viewer.model.convert.exchange import JSON, OBJ
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.scene import Scene
from viewer.model.convert.text.writing import text_of
from viewer.model.kinds.registry import MODEL, promised_kind
from viewer.model.store.address import Address
from viewer.model.store.file_store import Container, Item, entry_of
from viewer.model.store.writing import NewFile
from viewer.model.write import saving
from viewer.model.write.file_names import FileNames
from viewer.progress import Cancelled, Progress, checkpoint
from viewer.session.converting.export_question import ExportQuestion, Preview, Scope
from viewer.session.converting.reports import ExportReport, Failure


def preview(sources: Sources, question: ExportQuestion) -> Preview:
    """What an export will write; an error is in it."""
    try:
        if question.scope is Scope.ARCHIVE:
            names = [name for name, _ in _targets(sources, question)]
            return Preview(tuple((name, 0) for name in names), replaced=_existing(question.folder, names))
        return _preview(sources, question)
    except MshviewError as error:
        return Preview(error=error.text)


def _preview(sources: Sources, question: ExportQuestion) -> Preview:
    item = sources.library.open(Address.parse(question.address))
    scene = _scene(sources, question, item) if question.is_scene else None
    checkpoint()
    files = _files(question, item, scene)
    sizes = tuple((name, len(data)) for name, data in [*files.items()][::-1])
    replaced = _existing(question.folder, files)
    if scene is None:
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
    )


def write(sources: Sources, question: ExportQuestion) -> int:
    """Write the files of one resource, all or none, and return their size; raises `MshviewError`."""
    item = sources.library.open(Address.parse(question.address))
    scene = _scene(sources, question, item) if question.is_scene else None
    checkpoint()
    files = _files(question, item, scene)
    checkpoint()
    return _write(question.folder, files)


def write_archive(sources: Sources, question: ExportQuestion, progress: Progress) -> ExportReport:
    """Write the models of an archive, each whole or not at all; those that fail are named.

    Raises `MshviewError` if the archive cannot be read, and `OutputError` if the folder cannot be written.
    """
    _make(question.folder)
    targets = [*_targets(sources, question)]
    written = size = 0
    failures: list[Failure] = []
    try:
        for name, item in progress.over(targets, lambda target: target[0]):
            try:
                size += _write(question.folder, _target_files(sources, question, name, item))
                written += 1
            except OutputError:
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


def _scene(sources: Sources, question: ExportQuestion, item: Item) -> Scene:
    document = sources.document(item.address)
    options = question.choices.options(question.cell, question.chosen_nodes)
    return scene_of(source_of(document, item), options)


def _files(question: ExportQuestion, item: Item, scene: Scene | None) -> Mapping[str, bytes]:
    """The files of one resource; the last is the one that is asked for."""
    if scene is None:
        return {f"{question.stem}.{JSON}": _text(item)}
    return exchange.files_of(scene, question.suffix, question.stem)


def _text(item: Item) -> bytes:
    return "".join(text_of(promised_kind(item), item.data, item.entry)).encode()


def _write(folder: Path, files: Mapping[str, bytes]) -> int:
    saving.write([NewFile(folder / name, data) for name, data in files.items()])
    return sum(map(len, files.values()))


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(error.strerror or str(error), source=str(folder)) from error


def _existing(folder: Path, names: Iterable[str]) -> tuple[str, ...]:
    """The names that files in a folder have already."""
    try:
        found = {path.name for path in folder.iterdir()}
    except OSError:
        return ()
    return tuple(name for name in names if name in found)
