"""Importing in a worker thread: what a file of another program changes in what is open, as it is shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from viewer.errors import MshviewError, UsageError
from viewer.formats import splice
from viewer.model.convert import beside
from viewer.model.convert.exchange import JSON, SCENES, SUFFIXES, import_words
from viewer.model.convert.importing.findings import DEFAULT, ImportChoices
from viewer.model.convert.text.reading import resource_of
from viewer.model.kinds.registry import MODEL, promised_kind
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store import recovery
from viewer.model.store.file_store import FileStore
from viewer.model.store.writing import NewFile
from viewer.model.write import saving
from viewer.operations import importing
from viewer.operations.importing import ComparedModel, NewFiles, PlannedFile, SceneFile
from viewer.operations.opening import Source
from viewer.progress import checkpoint
from viewer.session.converting.import_sheet import ImportSheet
from viewer.session.edits.edited_file import Step
from viewer.session.edits.save_sheet import AddedDiagnostic
from viewer.translation import _


@dataclass(frozen=True, slots=True)
class Planned:
    """An import as it will be made.

    Attributes
    ----------
    sheet
        As it is shown.
    steps
        The undo steps: one, and one more before it for a wear table that is a file of its own.
    compared
        What can be left out; None if it is all or nothing.
    """

    sheet: ImportSheet
    steps: tuple[Step, ...] = ()
    compared: ComparedModel | None = None


def read(library: FileStore, path: Path, source: Source, choices: ImportChoices = DEFAULT) -> Planned:
    """What a file changes in what is open; raises `MshviewError`."""
    if suffix_of(path) == JSON:
        return _text(library, path, source)
    if promised_kind(library.open(source.address)) is not MODEL:
        raise UsageError(_("only JSON can be imported into what is no model"), source=str(path))
    compared = importing.compare(library, _file(library, path), source, choices)
    sheet = ImportSheet(
        path,
        str(source.address),
        compared.changes,
        len(compared.found.wear),
        libraries=tuple(it.item for it in compared.found.libraries),
        node_names=compared.model.names,
        losses=compared.found.losses,
        notes=compared.found.notes,
        choices=choices,
        has_outdated=compared.found.has_outdated,
        has_referenced=compared.found.has_referenced,
    )
    checkpoint()
    return planned(library, sheet, compared)


def _text(library: FileStore, path: Path, source: Source) -> Planned:
    """What a text changes, which holds every byte: all of it or nothing."""
    kind = promised_kind(library.open(source.address))
    found = resource_of(library.file(path), str(path))
    if found.kind is not kind:
        words = _("holds {given}, and {kind} is open").format(given=found.kind.id, kind=kind.id)
        raise UsageError(words, source=str(path))
    files = (importing.plan_resource(library, source, found),)
    sheet = ImportSheet(path, str(source.address))
    return Planned(_shown(sheet, files), _steps(path, files))


def unplanned(sheet: ImportSheet, left_out: frozenset[int]) -> ImportSheet:
    """A sheet of the same file without some changes, of which nothing is known yet."""
    return replace(
        sheet,
        left_out=left_out,
        is_planned=False,
        problem="",
        topics=(),
        byte_count=0,
        range_count=0,
        values=(),
        value_count=0,
        summary=(),
        added=(),
    )


def planned(library: FileStore, sheet: ImportSheet, compared: ComparedModel) -> Planned:
    """The chosen changes of a sheet with what follows from them; a refusal is in the sheet."""
    try:
        files = importing.plan_changes(library, compared, sheet.left_out)
    except MshviewError as error:
        error.source = "" if error.source == sheet.address else error.source
        refused = replace(unplanned(sheet, sheet.left_out), is_planned=True, problem=error.text)
        return Planned(refused, compared=compared)
    return Planned(_shown(sheet, files), _steps(sheet.path, files), compared)


def _steps(path: Path, files: tuple[PlannedFile, ...]) -> tuple[Step, ...]:
    """The undo steps; the changes are kept in one of a payload alone, which can be made again from them."""
    made = ((file.report.summary, it) for file in files for it in file.steps if it.splices)
    return tuple(
        Step(
            it.payloads[0][0],
            import_words(path.name, next(iter(summary), "")),
            it.splices,
            () if it.others else tuple(step.change for step in it.payloads[0][1].steps if step.topic is None),
            it.topics,
            others=it.others,
        )
        for summary, it in made
    )


def _shown(sheet: ImportSheet, files: tuple[PlannedFile, ...]) -> ImportSheet:
    """The sheet with what the files change value by value, and the problems that they add."""
    reports = [file.report for file in files]
    return replace(
        unplanned(sheet, sheet.left_out),
        is_planned=True,
        topics=tuple(topic for file in files for step in file.steps for topic in step.topics),
        byte_count=sum(splice.total(it.ranges) for it in reports),
        range_count=sum(len(it.ranges) for it in reports),
        values=tuple(value for it in reports for value in it.values),
        value_count=sum(it.value_count for it in reports),
        summary=tuple(words for it in reports for words in it.summary),
        added=tuple(AddedDiagnostic(it.source, it.diagnostic) for found in reports for it in found.added),
    )


def write_new(library: FileStore, path: Path, target: Path, reading: ReadingChoice) -> NewFiles:
    """Write the model of a file with its wear table, and return them; raises `MshviewError`."""
    made = importing.new_files(_file(library, path), reading)
    checkpoint()
    places = (target, *(target.with_suffix(suffix) for suffix in made.beside))
    advice = _("open that model and import the file there, or choose another name")
    importing.refuse_replacing(path, made.origin, places, advice)
    others = [NewFile(target.with_suffix(suffix), it.data) for suffix, it in made.beside.items()]
    saving.write([*others, NewFile(target, made.model.data)])
    return made


def _file(library: FileStore, path: Path) -> SceneFile:
    """A file of another program, with those next to it."""
    suffix = suffix_of(path)
    if suffix not in SCENES:
        known = ", ".join(f".{it}" for it in SUFFIXES)
        raise UsageError(_("is none of {formats}").format(formats=known), source=str(path))
    recovery.recover(path.absolute().parent)  # the files next to it belong together
    return SceneFile(path, library.file(path), suffix, beside.Folder(path.parent))


def suffix_of(path: Path) -> str:
    """The format of a file by its name."""
    return path.suffix.lower().removeprefix(".")
