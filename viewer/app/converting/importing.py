"""Importing in a worker thread: what a file of another program changes in what is open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from viewer.app import loading
from viewer.app.converting.sources import Sources, source_of, wear_names
from viewer.app.settings import user_files
from viewer.errors import AddressError, MshviewError, UsageError, reading_from
from viewer.formats import splice
from viewer.formats.archive.nres import Entry
from viewer.model.compare.edit_report import FileEdit, report
from viewer.model.convert import beside, exchange
from viewer.model.convert.exchange import JSON, SCENES, SUFFIXES, import_words
from viewer.model.convert.importing.importer import changes_of
from viewer.model.convert.new_model import made_of
from viewer.model.convert.scene import Scene
from viewer.model.convert.source import ModelSource
from viewer.model.convert.text.reading import resource_of
from viewer.model.edit import lift
from viewer.model.edit.change import Change
from viewer.model.edit.draft import Draft
from viewer.model.edit.neighbors.following import together
from viewer.model.edit.plan import Plan, plan
from viewer.model.kinds.registry import MODEL, promised_kind
from viewer.model.material import wear_table
from viewer.model.mesh.reading import ReadingChoice, ResolvedReading
from viewer.model.store.address import Address
from viewer.model.store.files import write_together
from viewer.progress import checkpoint
from viewer.session.converting.import_sheet import ImportSheet
from viewer.session.edits.edited_file import Step
from viewer.session.edits.save_sheet import AddedDiagnostic
from viewer.translation import _

LARGEST: Final = 1 << 30
"""Bytes of the largest file that is read."""


@dataclass(frozen=True, slots=True)
class Planned:
    """An import as it will be made.

    Attributes
    ----------
    sheet
        As it is shown.
    steps
        The undo steps: one, and one more before it for a wear table that is a file of its own.
    """

    sheet: ImportSheet
    steps: tuple[Step, ...] = ()


def read(sources: Sources, path: Path, address: Address) -> Planned:
    """What a file changes in what is open at an address; raises `MshviewError`."""
    data = _bytes_of(path)
    if suffix_of(path) == JSON:
        return _text(sources, path, data, address)
    if promised_kind(sources.library.open(address)) is not MODEL:
        raise UsageError(_("only JSON can be imported into what is no model"), source=str(path))
    document = sources.document(address)
    source = source_of(document, sources.library.open(address))
    with reading_from(str(path)):
        scene = _scene(path, data, source)
    checkpoint()
    found = changes_of(source, scene, wear_names(document))
    sheet = ImportSheet(
        path,
        str(address),
        (*found.wear, *found.changes),
        len(found.wear),
        node_names=document.names,
        losses=found.losses,
        notes=found.notes,
    )
    return planned(sources, sheet)


def _text(sources: Sources, path: Path, data: bytes, address: Address) -> Planned:
    """What a text changes, which holds every byte: all of it or nothing."""
    item = sources.library.open(address)
    kind, found = promised_kind(item), resource_of(data, str(path))
    if found.kind is not kind:
        words = _("holds {given}, and {kind} is open").format(given=found.kind.id, kind=kind.id)
        raise UsageError(words, source=str(path))
    sheet = ImportSheet(path, str(address))
    splices = lift.lifted(sources.library, address, splice.between(item.data, found.data))
    step = Step(address, import_words(path.name), splices)
    return Planned(_told(sources, sheet, (step,)), (step,))


def unplanned(sheet: ImportSheet, left_out: frozenset[int]) -> ImportSheet:
    """A sheet of the same file without some changes, of which nothing is known yet."""
    return ImportSheet(
        sheet.path,
        sheet.address,
        sheet.changes,
        sheet.wear_count,
        left_out,
        sheet.node_names,
        sheet.losses,
        sheet.notes,
    )


def planned(sources: Sources, sheet: ImportSheet) -> Planned:
    """The chosen changes of a sheet with what follows from them; a refusal is in the sheet."""
    address = Address.parse(sheet.address)
    wear, changes = sheet.chosen
    try:
        steps = tuple(_steps(sources, sheet, address, wear, changes))
    except MshviewError as error:
        return Planned(replace(unplanned(sheet, sheet.left_out), is_planned=True, problem=error.text))
    return Planned(_told(sources, sheet, steps), steps)


def _steps(
    sources: Sources, sheet: ImportSheet, address: Address, wear: Sequence[Change], changes: Sequence[Change]
) -> Iterator[Step]:
    """Yield the undo step; before it, one of a wear table that is a file of its own."""
    document = sources.document(address)
    words, others = import_words(sheet.path.name), list[tuple[Address, Plan]]()
    if wear:
        place = Address.parse(document.materials.wear_source or "")
        made = plan(_draft(sources, place), wear)
        if place.parent == address.parent and place.entries:
            others = [(place, made)]
        else:
            yield Step(place, words, lift.lifted(sources.library, place, made.splices), tuple(wear))
    made = plan(_draft(sources, address, document.choice), changes)
    library, drafts = sources.library, partial(_draft, sources)
    found = together(library, address, made, drafts, others=others)
    if found.splices:
        topics = found.topics
        kept = () if others else tuple(changes)
        yield Step(address, words, found.splices, kept, topics, others=found.others)


def _draft(sources: Sources, address: Address, choice: ResolvedReading | None = None) -> Draft:
    """A draft of a payload as it is now."""
    item = sources.library.open(address)
    entry = item.entry if isinstance(item.entry, Entry) else None
    kind = promised_kind(item)
    value = sources.library.model(address) if kind is MODEL else None
    return Draft(kind, item.data, entry, resolved=choice, value=value)


def _told(sources: Sources, sheet: ImportSheet, steps: Sequence[Step]) -> ImportSheet:
    """The sheet with what the steps change value by value, and the problems that they add."""
    by_file: dict[Path, list[Step]] = {}
    for step in steps:
        by_file.setdefault(step.address.path, []).append(step)
    game = loading.game_of(sources.library, Address.parse(sheet.address), sources.lookup)
    told = unplanned(sheet, sheet.left_out)
    told = replace(told, is_planned=True, topics=tuple(topic for step in steps for topic in step.topics))
    for path, made in by_file.items():
        checkpoint()
        splices = splice.combined_all([step.splices for step in made])
        edit = FileEdit(
            path, sources.library.file(path), splices, tuple(it for step in made for it in step.payloads)
        )
        found = report(sources.library, edit, game=game, reading=sources.reading)
        told = replace(
            told,
            byte_count=told.byte_count + splice.total(splices),
            range_count=told.range_count + len(splices),
            values=(*told.values, *found.values),
            value_count=told.value_count + found.value_count,
            added=(*told.added, *(AddedDiagnostic(it.source, it.diagnostic) for it in found.added)),
        )
    return told


def write_new(path: Path, target: Path, reading: ReadingChoice) -> tuple[str, ...]:
    """Write the model of a file with its wear table, and return the losses; raises `MshviewError`."""
    with reading_from(str(path)):
        made = made_of(_scene(path, _bytes_of(path)), reading)
    checkpoint()
    wear = target.with_suffix(wear_table.SUFFIX)
    write_together([(wear, [made.wear.text]), (target, [made.data])])
    return made.losses


def _scene(path: Path, data: bytes, template: ModelSource | None = None) -> Scene:
    """The scene in a file, with the files next to it."""
    suffix, folder = suffix_of(path), beside.folder(path.parent)
    if suffix not in SCENES:
        known = ", ".join(f".{it}" for it in SUFFIXES)
        raise UsageError(_("is none of {formats}").format(formats=known), source=str(path))
    return exchange.read(data, path.name, suffix, folder, template)


def suffix_of(path: Path) -> str:
    """The format of a file by its name."""
    return path.suffix.lower().removeprefix(".")


def _bytes_of(path: Path) -> bytes:
    try:
        return user_files.read(path, LARGEST)
    except OSError as error:
        raise AddressError(error.strerror or str(error), source=str(path)) from error
