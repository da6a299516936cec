"""Files with changes made to them, in memory, and what is printed of the changes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from viewer.cli import output, text_table
from viewer.errors import reading_from
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.splice import Splices
from viewer.model.compare.differences import ChangeKind
from viewer.model.compare.edit_report import ChangedValue, EditReport, FileEdit, diagnostic_document, report
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.neighbors.following import CombinedEdit, planned
from viewer.model.edit.nodes.node_edit import ReferencedError
from viewer.model.edit.plan import Plan
from viewer.model.edit.set_field import stored_name
from viewer.model.kinds.registry import MODEL, promised_kind
from viewer.model.material import selectors
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.translation import Sentence


@dataclass(frozen=True, slots=True)
class EditOptions:
    """How changes are made.

    Parameters
    ----------
    declined, wanted
        Consequences that are not made, and those that are made though they are only offered.
    reading
        The reading of models.
    game
        The game in which names are looked up.
    """

    declined: Collection[Topic] = ()
    wanted: Collection[Topic] = ()
    reading: ReadingChoice = ReadingChoice.AUTO
    game: Path | None = None


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file with changes of some of its payloads.

    Attributes
    ----------
    path
        The file.
    before, after
        Its bytes before and after the changes.
    plans
        What was done to each payload.
    report
        What that changes.
    notes
        What should be known of the changes: vertices that other nodes use too.
    """

    path: Path
    before: memoryview
    after: memoryview
    plans: tuple[Plan, ...]
    report: EditReport
    notes: Sequence[str] = ()

    @property
    def is_changed(self) -> bool:
        """Whether any byte differs."""
        return bool(self.report.ranges)

    @property
    def made(self) -> list[Topic]:
        """The consequences that were made, each once."""
        return [*dict.fromkeys(topic for made in self.plans for topic in made.topics)]

    @property
    def offered(self) -> list[Topic]:
        """The consequences that were left out, each once."""
        return [*dict.fromkeys(it.topic for made in self.plans for it in made.offered)]


def by_file(addresses: Iterable[str]) -> dict[Path, list[Address]]:
    """Return addresses by their file, in order; raises `UsageError` for what is not an address."""
    found: dict[Path, list[Address]] = {}
    for address in map(Address.given, addresses):
        found.setdefault(address.path, []).append(address)
    return found


class FileEditing:
    """Changes of the payloads of one file, each made on what those before it have left.

    Nothing is written: the new bytes are laid over the file in the store.

    Parameters
    ----------
    store
        The files.
    path
        The file.
    options
        How changes are made.
    """

    def __init__(self, store: FileStore, path: Path, options: EditOptions) -> None:
        self.store = store
        self._path = path
        self._options = options
        self._before = self._data = store.file(path)
        self._splices: Splices = ()
        self._steps: list[CombinedEdit] = []

    def draft(self, address: Address) -> Draft:
        """Return a draft of a payload as it is now; raises `AddressError` or `FormatError`."""
        item = self.store.open(address)
        entry = item.entry if isinstance(item.entry, nres.Entry) else None
        kind = promised_kind(item)
        wear_rows = selectors.of_model(self.store, address).row_count if kind is MODEL else None
        return Draft(kind, item.data, entry, reading=self._options.reading, wear_rows=wear_rows)

    def edit(self, address: Address, changes: Sequence[Change]) -> None:
        """Make changes in a payload, and what follows next to it; raises `MshviewError` if one refuses."""
        with reading_from(str(address)):
            declined, wanted = self._options.declined, self._options.wanted
            try:
                _, step = planned(self.store, address, changes, self.draft, declined, wanted)
            except ReferencedError as error:
                error.message = Sentence(
                    "{message}; --clear-references sets these to none", message=error.message
                )
                raise
        self._steps.append(step)
        if step.splices:
            self._data = memoryview(splice.applied(self._data, step.splices)).toreadonly()
            self._splices = splice.combined(self._splices, step.splices)
            self.store.unsaved.lay(self._path, self._data)

    def finish(self) -> ChangedFile:
        """Return the file with its changes."""
        edited = [payload for step in self._steps for payload in step.payloads]
        addresses = tuple(dict.fromkeys(address for address, _ in edited))
        edit = FileEdit(self._path, self._before, self._splices, addresses)
        found = report(self.store, edit, game=self._options.game, reading=self._options.reading)
        return ChangedFile(
            self._path,
            self._before,
            self._data,
            tuple(made for _, made in edited),
            found,
            [*dict.fromkeys(note for step in self._steps for note in step.notes)],
        )


def edit_file(
    store: FileStore, addresses: Sequence[Address], changes: Sequence[Change], options: EditOptions
) -> ChangedFile:
    """Make the same changes in payloads of one file; raises `MshviewError` if one of them refuses."""
    editing = FileEditing(store, addresses[0].path, options)
    for address in addresses:
        editing.edit(address, changes)
    return editing.finish()


HEX_LIMIT: Final = 64
"""Bytes of a range that are shown."""
SHOWN_CHANGES: Final = 50
"""Fields that a terminal lists unless all are requested."""


def edit_document(file: ChangedFile) -> dict[str, Any]:
    """What an edit changes, as JSON."""
    found = file.report
    return {
        "source": str(file.path),
        "changes": (_printed(value).document for value in found.each_value()),
        "count": found.value_count,
        "summary": [*map(str, found.summary)],
        "renumbered": [*found.renumbered],
        "ranges": [*range_rows(found.ranges)],
        "identical": not file.is_changed,
        "diagnostics": [*map(diagnostic_document, found.added)],
        "mended": [*map(diagnostic_document, found.mended)],
        "made": [*map(str, file.made)],
        "offered": [*map(str, file.offered)],
        "notes": [*map(str, file.notes)],
    }


def edit_lines(file: ChangedFile) -> Iterator[str]:
    """What an edit changes, as text."""
    found = file.report
    if not file.is_changed:
        yield from file.notes
        yield f"{file.path}: no byte changes"
        return
    yield from found.summary
    limit = output.most_shown(SHOWN_CHANGES)
    shown = [*islice(found.each_run(), limit)]
    for value in shown:
        yield change_line(_printed(value), is_inside=value.address != str(file.path))
    if left := found.shown_count - sum(value.count for value in shown):
        yield f"and {left} more; -v lists them all"
    if file.made:
        yield f"with them: {', '.join(file.made)}"
    if file.offered:
        yield f"left as they were: {', '.join(file.offered)}"
    yield from file.notes
    ranges, size = counted(len(found.ranges), "range"), counted(found.byte_count, "byte")
    yield f"{ranges}, {size}; everything else identical"


def _printed(value: ChangedValue) -> ChangedValue:
    """The value under the name that ``inspect`` prints for it as it is stored: ``quaternion_raw``."""
    return replace(value, field=stored_name(value.table, value.field))


def range_rows(splices: Splices) -> Iterator[dict[str, Any]]:
    """Yield the replaced ranges of a file; their bytes are left out above `HEX_LIMIT`."""
    for part in splices:
        size = max(len(part.before), len(part.after))
        shown = {"before": part.before.hex(), "after": part.after.hex()} if size <= HEX_LIMIT else {}
        yield {"offset": part.offset, "size": len(part.before), **shown}


def counted(number: int, thing: str) -> str:
    """Return a number of things."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def change_line(value: ChangedValue, *, is_inside: bool) -> str:
    """Return a changed field as text: ``batches[3].flags: 0 -> 8``."""
    place = f"{value.address}: {value.spot}" if is_inside else value.spot
    name = f" ({value.name})" if value.name else ""
    if not value.field and value.what is not ChangeKind.CHANGED:
        return f"{place}{name}: {value.what}"
    return f"{place}{name}: {text_table.cell(value.before)} -> {text_table.cell(value.after)}"
