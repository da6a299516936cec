"""What an edit of a file changes: values in words, byte ranges, and the diagnostics that it adds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np

from viewer.dataclass import dataclass, replace
from viewer.errors import FormatError, MshviewError, Severity
from viewer.formats import splice
from viewer.formats.record import Bytes
from viewer.formats.splice import Splices
from viewer.geometry.transforms import Indices
from viewer.model.checks.payload import Surroundings
from viewer.model.compare import differences
from viewer.model.compare.added_diagnostics import Finding, added, findings, lost_names, to_check
from viewer.model.compare.alignment import NodeRows
from viewer.model.compare.differences import ChangeKind, Difference
from viewer.model.compare.files import ComparedPayload, compare, nodes_next_to
from viewer.model.compare.row_summary import is_of_pixels, summaries
from viewer.model.compare.value_rows import row_runs, value_rows
from viewer.model.edit.neighbors.follow_nodes import KINDS as NUMBERING
from viewer.model.game import game_folder
from viewer.model.game.registry import MODEL_SUFFIX, Game
from viewer.model.kinds.columns import PlainRows, diagnostic_rows
from viewer.model.kinds.json_text import as_written
from viewer.model.kinds.registry import promised_kind
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.disk import UnsavedFiles
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import CaselessFolder
from viewer.model.store.item import Item
from viewer.model.store.place import Place
from viewer.translation import Text

MOST_VALUES: Final = 10_000
"""Changed values that are listed one by one; further ones are counted."""


@dataclass(frozen=True, slots=True)
class ChangedValue:
    """One value that differs, or one row that only one of both has.

    Attributes
    ----------
    what
        Whether it was changed, added or removed.
    address
        The payload.
    table, row, field
        The place in it; the row is that after the edit, of a removed one that before it, None if there are no
        rows. The field is empty for a whole row.
    before, after
        As ``inspect`` prints them; None for a whole row.
    name
        The name of the row; empty if it has none.
    count
        How many rows from `row` on change in the same way.
    digits
        Hexadecimal digits of a set of bits, 0 of another value.
    """

    what: ChangeKind
    address: Address
    table: str
    row: int | None
    field: str
    before: Any
    after: Any
    name: str = ""
    count: int = 1
    digits: int = 0

    @property
    def written(self) -> tuple[Any, Any]:
        """Both values as they are written in text: sets of bits in hexadecimal."""
        return as_written(self.digits, self.before), as_written(self.digits, self.after)

    @property
    def place(self) -> Place:
        """The place after the edit, of a removed row that before it."""
        return Place(self.address, self.table, self.row, self.field)

    @property
    def spot(self) -> str:
        """The place in its payload: ``batches[3].flags``, ``frame_map[310:382].key``."""
        if self.row is None or self.count == 1:
            return self.place.spot
        rows = f"{self.table}[{self.row}:{self.row + self.count}]"
        return f"{rows}.{self.field}" if self.field else rows

    def follows(self, before: ChangedValue) -> bool:
        """Whether it is the next row of a run of rows that change in the same way."""
        if self.name or self.row is None or before.row is None or self.row != before.row + before.count:
            return False
        is_alike = self.after == before.after and self.before == before.before  # most are not: these first
        return is_alike and replace(self, row=before.row, count=before.count) == before


@dataclass(frozen=True)
class EditReport:
    """What an edit of a file does.

    Attributes
    ----------
    path
        The file.
    changed
        What differs, by the address of the payload.
    ranges
        What is replaced in the file; everything else is identical.
    size_before, size_after
        Of the file, bytes.
    added, resolved
        Diagnostics that only the edited file has, and those that only the file before has.
    """

    path: Path
    changed: tuple[tuple[Address, Difference], ...]
    ranges: Splices
    size_before: int
    size_after: int
    added: tuple[Finding, ...] = ()
    resolved: tuple[Finding, ...] = ()

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The errors among the added diagnostics: the edit is refused unless it is forced."""
        return tuple(it for it in self.added if it.diagnostic.severity is Severity.ERROR)

    @property
    def byte_count(self) -> int:
        """Number of changed bytes."""
        return splice.total(self.ranges)

    @property
    def payloads(self) -> tuple[Address, ...]:
        """The payloads in which anything differs, each once; entries by their own address."""
        return tuple(dict.fromkeys(address.child(*it.path) for address, it in self.changed))

    @cached_property
    def value_count(self) -> int:
        """Number of all changed values and rows, listed or not, without references that only follow."""
        return sum(it.count for _, it in self.changed if it.what is not ChangeKind.RENUMBERED)

    @cached_property
    def summary(self) -> tuple[Text, ...]:
        """The inserted, removed and renumbered rows in words, a sentence for each payload that has any."""
        return summaries(self.changed)

    @property
    def renumbered(self) -> Iterator[dict[str, Any]]:
        """How many references of each field only follow their rows, as ``edit --json`` prints it."""
        for address, it in self.changed:
            if it.what is ChangeKind.RENUMBERED:
                source = str(address.child(*it.path))
                yield {"address": source, "table": it.table, "field": it.field, "count": it.count}

    @cached_property
    def values(self) -> tuple[ChangedValue, ...]:
        """The first changed values but pixels, at most `MOST_VALUES`, to be shown; equal rows are one."""
        return values_of(self.changed)

    @property
    def shown_count(self) -> int:
        """Number of the values that may be shown one by one: all but pixels."""
        return self.value_count - sum(it.count for _, it in self.changed if is_of_pixels(it))

    def each_run(self) -> Iterator[ChangedValue]:
        """All changed values; rows that change alike are one."""
        return _runs(_each((address, it) for address, it in self.changed if not is_of_pixels(it)))

    @property
    def rows(self) -> PlainRows:
        """All changed values and rows; added or removed rows without values that follow as one."""
        return value_rows(self.changed)


@dataclass(frozen=True, slots=True)
class FileEdit:
    """An edit of a file.

    Parameters
    ----------
    path
        The file.
    before
        Its bytes before the edit.
    splices
        What is replaced in them.
    addresses
        The payloads that were edited, as called before or after the edit; those around them may be left out.
    """

    path: Path
    before: Bytes
    splices: Splices
    addresses: tuple[Address, ...]


def report(
    library: FileStore,
    edit: FileEdit,
    *,
    game: Path | None = None,
    reading: ReadingChoice = ReadingChoice.AUTO,
    is_checked: bool = True,
) -> EditReport:
    """What an edit changes.

    Parameters
    ----------
    library
        The files around the edited one, unsaved ones included.
    game
        The game in which names are looked up; by default the one around the file.
    reading
        How models are read.
    is_checked
        Whether diagnostics are wanted; they take much longer than everything else.

    Raises
    ------
    ValueError
        If the splices do not fit the bytes.
    """
    path = edit.path
    if not edit.splices:  # an import that changes nothing: the file is neither read nor checked twice
        size = len(memoryview(edit.before))
        return EditReport(path, (), (), size, size)
    after = splice.applied(edit.before, edit.splices)
    stores = _store(library, path, edit.before), _store(library, path, after)
    edited = _outermost(stores, path, edit.addresses)
    changed = tuple((it, found) for it in edited for found in _changed(stores, it, reading))
    gone: tuple[Finding, ...] = ()
    new: tuple[Finding, ...] = ()
    if is_checked:
        game = game or game_folder.around(library, path.parent)
        checked = to_check(*stores, edited)
        old, late = (findings(it, checked, _around(it, path, game, reading)) for it in stores)
        gone, new = added(late, old), (*added(old, late), *lost_names(*stores, edited, game))
    return EditReport(path, changed, edit.splices, len(memoryview(edit.before)), len(after), new, gone)


def added_errors(library: FileStore, edit: FileEdit, reading: ReadingChoice) -> tuple[Finding, ...]:
    """The errors that an edit adds to the payloads that it names: it is refused unless it is forced.

    Those of what is around them, and of archives, take longer: `report` has them all.
    """
    after = splice.applied(edit.before, edit.splices)
    stores = _store(library, edit.path, edit.before), _store(library, edit.path, after)
    edited = _outermost(stores, edit.path, edit.addresses)
    checked = {it: True for it in edited if not promised_kind(stores[1].open(it)).is_archive}
    old, new = (findings(it, checked, _around(it, edit.path, None, reading)) for it in stores)
    return tuple(it for it in added(old, new) if it.diagnostic.severity is Severity.ERROR)


def _store(library: FileStore, path: Path, data: Bytes) -> FileStore:
    """A store that has these bytes in place of the file, and otherwise the files of another one."""
    return FileStore(unsaved=UnsavedFiles.of(library.unsaved, {path: data}))


def _around(store: FileStore, path: Path, game: Path | None, reading: ReadingChoice) -> Surroundings:
    return Surroundings(
        folder=CaselessFolder(path.parent, store), game=Game(game, store) if game else None, requested=reading
    )


def _outermost(stores: Sequence[FileStore], path: Path, addresses: Iterable[Address]) -> tuple[Address, ...]:
    """The addresses that both stores have, or what is around them, without those inside others."""
    found: dict[Address, None] = {}
    for wanted in addresses:
        address = Address(path, wanted.entries)
        while address.entries and not all(_has(store, address) for store in stores):
            address = address.parent
        found[address] = None
    return tuple(it for it in found if not any(it in other for other in found))


def _has(store: FileStore, address: Address) -> bool:
    try:
        store.open(address)
    except MshviewError:
        return False
    return True


def _changed(stores: Sequence[FileStore], address: Address, reading: ReadingChoice) -> Iterator[Difference]:
    """The differences of a payload; of one that cannot be read, its bytes."""
    items = [store.open(address) for store in stores]
    before, after = map(ComparedPayload.of, items)
    try:
        nodes = _nodes_next_to(stores, items, reading) if before.kind.id in NUMBERING else None
        found = [*compare(before, after, reading, nodes=nodes)]
    except FormatError:
        found = [*differences.of_bytes("", before.data, after.data)]
    yield from found


def _nodes_next_to(
    stores: Sequence[FileStore], items: Sequence[Item], reading: ReadingChoice
) -> NodeRows | None:
    """The nodes of the model of the same stem before and after."""
    try:
        suffix = MODEL_SUFFIX.decode()
        a, b = (store.sibling(item, suffix) for store, item in zip(stores, items, strict=True))
    except MshviewError:
        return None
    if a is None or b is None:
        return None
    return nodes_next_to(ComparedPayload.of(a), ComparedPayload.of(b), reading)


def _each(changed: Iterable[tuple[Address, Difference]]) -> Iterator[ChangedValue]:
    """All values of differences, without references that only follow."""
    for address, it in changed:
        if it.what is not ChangeKind.RENUMBERED:
            # the single values of a difference
            where = address.child(*it.path)
            rows = it.rows_a if it.what is ChangeKind.REMOVED else it.rows_b
            if rows is not None and not (len(it.a) or len(it.b) or len(it.names)):
                yield from _row_runs(it, where, rows)
                continue
            numbers: list[int | None] = [None] * it.count if rows is None else rows.tolist()
            before, after = (
                values.tolist() if isinstance(values, np.ndarray) else values for values in (it.a, it.b)
            )
            for index, row in enumerate(numbers):
                yield ChangedValue(
                    it.what,
                    where,
                    it.table,
                    row,
                    it.field,
                    before[index] if index < len(before) else None,
                    after[index] if index < len(after) else None,
                    it.names[index] if index < len(it.names) else "",
                    digits=it.digits,
                )


def _row_runs(difference: Difference, where: Address, rows: Indices) -> Iterator[ChangedValue]:
    """Rows without values, those that follow each other as one: there may be a million of them."""
    first, counts = row_runs(rows)
    for row, count in zip(first.tolist(), counts.tolist(), strict=True):
        yield ChangedValue(
            difference.what, where, difference.table, row, difference.field, None, None, count=count
        )


def _runs(values: Iterable[ChangedValue]) -> Iterator[ChangedValue]:
    """Values with those of following rows that change in the same way as one."""
    run: ChangedValue | None = None
    for value in values:
        if run is not None and value.follows(run):
            run = replace(run, count=run.count + value.count)
        else:
            if run is not None:
                yield run
            run = value
    if run is not None:
        yield run


def values_of(changed: Iterable[tuple[Address, Difference]]) -> tuple[ChangedValue, ...]:
    """The first values of differences but pixels, at most `MOST_VALUES`; rows that change alike are one."""
    shown = ((address, it) for address, it in changed if not is_of_pixels(it))
    return tuple(_runs(islice(_each(shown), MOST_VALUES)))


def diagnostic_document(found: Finding) -> dict[str, Any]:
    """A diagnostic as ``edit --json`` prints it."""
    (row,) = diagnostic_rows([found.diagnostic])
    return {"source": str(found.source), **row}
