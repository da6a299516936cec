"""The rows of an overview, made portion by portion: in worker processes, or in a thread of the window."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec import Struct, field

from viewer.diagnostics import Diagnostic
from viewer.errors import MshviewError, Severity, error_text
from viewer.formats.archive import nres
from viewer.formats.text import encode
from viewer.json_types import names_of
from viewer.model.checks import containers
from viewer.model.game import game_folder
from viewer.model.game.part_names import NO_NAMES, PartName, PartNames
from viewer.model.kinds.entry_kinds import misfits
from viewer.model.kinds.plain import FileRow, listing
from viewer.model.kinds.registry import PACKED, presumed_id, promised_kind
from viewer.model.store.address import Address
from viewer.model.store.disk import UnsavedFiles
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Container, Item, spelling
from viewer.model.validation.batch_validation import BatchValidator, ValidationTask
from viewer.operations.corpus.portions import Portion
from viewer.operations.overview.columns import Gathered, OverviewColumn, Value, columns_named
from viewer.operations.overview.subject import EntrySubject, GameNames
from viewer.operations.overview.users import FileUses, UsesTask, uses_of
from viewer.progress import checkpoint

COUNTED: Final = frozenset({Severity.ERROR, Severity.WARNING})
"""Severities that count as a problem."""
OverviewTask = Portion | UsesTask


class OverviewOptions(Struct, frozen=True):
    """Options of the reading of each entry.

    Attributes
    ----------
    columns
        The names of the columns that are needed: shown, or sorted, grouped or filtered by.
    game
        The game folder in which names are looked up; None for the one around each file.
    lod, group
        The cell of the slot matrix whose triangles are counted.
    unsaved
        Unsaved bytes that are read in place of files.
    """

    columns: tuple[str, ...]
    game: Path | None = None
    lod: int = 0
    group: int = 0
    unsaved: UnsavedFiles | None = None

    @property
    def declared(self) -> tuple[OverviewColumn, ...]:
        """The columns; raises `UsageError` for an unknown one."""
        return columns_named(self.columns)

    def gathers(self, what: Gathered) -> bool:
        """Whether a column needs this."""
        return any(it.gathered is what for it in self.declared)

    def begin(self) -> Callable[[Sequence[OverviewTask]], Iterator[PortionRows | FileUses]]:
        """A function that does some tasks, for a process of its own."""
        return OverviewReader(self).read_all


class PortionRows(Struct):
    """The rows of a portion, column by column.

    Attributes
    ----------
    stored
        What ``ls`` says of the entries, by the name of the column: an array or a list of so many values.
    spelled
        How an address names each entry; an empty text for a file itself.
    values
        The values of the columns of the overview.
    errors
        Why an entry cannot be read, by its place in the portion.
    """

    portion: Portion
    stored: dict[str, Any] = field(default_factory=dict)
    spelled: list[str] = field(default_factory=list)
    values: dict[str, list[Value]] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)


class OverviewReader:
    """Makes the rows of portions, one process or thread at a time."""

    def __init__(self, options: OverviewOptions) -> None:
        self._options = options
        self._columns = options.declared
        self._store = FileStore(unsaved=options.unsaved).pinned()
        # A store of its own: the libraries of the game stay, the files that are read do not.
        self._shared = FileStore(unsaved=options.unsaved).pinned()
        self._games: dict[Path, GameNames] = {}
        self._validator = BatchValidator(options.game, unsaved=options.unsaved)

    def read_all(self, tasks: Sequence[OverviewTask]) -> Iterator[PortionRows | FileUses]:
        """The rows of each portion; a file is kept in memory while its portions follow each other."""
        before: Path | None = None
        for task in tasks:
            path = task.path if isinstance(task, UsesTask) else task.address.path
            if before is not None and before != path:
                self._store.forget(before)
            before = path
            yield uses_of(self._store, task) if isinstance(task, UsesTask) else self.read(task)

    def read(self, portion: Portion) -> PortionRows:
        """The rows of a portion; what cannot be read has a reason."""
        if portion.problem:
            return self._lost(portion, portion.problem)
        try:
            item = self._store.open(portion.address)
            if portion.indices is None:
                return self._of_file(portion, item)
            container = item.container
        except MshviewError as error:
            return self._lost(portion, error_text(error))
        return PortionRows(portion) if container is None else self._of_entries(portion, item, container)

    def _lost(self, portion: Portion, problem: str) -> PortionRows:
        """A row for a file that cannot be read."""
        revision = self._store.revision(portion.address.path)
        kind, size = presumed_id(portion.address.path.name) or None, revision.size if revision else None
        known: dict[str, Value] = {"kind": kind, "size": size}
        values = {it.name: [known.get(it.name)] for it in self._columns}
        stored = _file_row(portion.address.name, kind, size)
        return PortionRows(portion, stored, [""], values, {0: problem})

    def _of_file(self, portion: Portion, item: Item) -> PortionRows:
        kind = promised_kind(item)
        found = PortionRows(portion, _file_row(portion.address.name, kind.id, len(item.data)), [""])
        subject = self._subject(item, None, self._problems(portion, item).get(portion.address))
        self._measure(found, 0, subject)
        return found

    def _of_entries(self, portion: Portion, item: Item, container: Container) -> PortionRows:
        indices = [*(portion.indices or ())]
        rows = listing(container).at(indices)
        stored = {
            name: values if isinstance(values, np.ndarray) else [*(values or [None] * len(indices))]
            for name, values in rows.columns.items()
        }
        found = PortionRows(portion, stored, [spelling(container, index) for index in indices])
        problems, called = self._problems(portion, item), self._called(item, container)
        for row, index in enumerate(indices):
            checkpoint()
            address = portion.address.child(found.spelled[row])
            try:
                entry = item.follow(found.spelled[row])
            except MshviewError as error:
                self._unreadable(found, row, error)
                continue
            self._measure(found, row, self._subject(entry, called.get(index), problems.get(address)))
            entry.made.clear()  # what was made of one entry is not used for another
        return found

    def _measure(self, found: PortionRows, row: int, subject: EntrySubject) -> None:
        """Add the values of one entry; those that its damage prevents are none."""
        for it in self._columns:
            value: Value = None
            try:
                with np.errstate(all="ignore"):  # damaged files hold numbers that are none
                    value = it.measure(subject)
            except MshviewError as error:
                found.errors.setdefault(row, error_text(error))
            found.values.setdefault(it.name, []).append(value)

    def _unreadable(self, found: PortionRows, row: int, error: MshviewError) -> None:
        """Add the row of an entry that its archive does not hold; the size that it states is no size."""
        found.errors[row] = error_text(error)
        archive = found.portion.address
        known: dict[str, Value] = {
            "kind": str(found.stored["type_name"][row]),
            "archive": self._game(archive.path).spelled(archive),
        }
        for it in self._columns:
            found.values.setdefault(it.name, []).append(known.get(it.name))

    def _subject(self, item: Item, called: PartName | None, problems: int | None) -> EntrySubject:
        cell = self._options.lod, self._options.group
        game = self._game(item.address.path)
        return EntrySubject(self._store, item, promised_kind(item), game, cell, called, problems)

    def _game(self, path: Path) -> GameNames:
        """The game around a file, or the one that is asked for."""
        folder = path.parent
        if folder not in self._games:
            game = self._options.game or game_folder.around(self._shared, folder)
            known = (it for it in self._games.values() if it.folder == game)
            self._games[folder] = next(known, None) or GameNames(self._shared, game)
        return self._games[folder]

    def _called(self, item: Item, container: Container) -> dict[int, PartName]:
        """The game's names of the entries of an archive."""
        if "display_name" not in self._options.columns:
            return {}
        folder = self._game(item.address.path).folder
        names = NO_NAMES if folder is None else PartNames.of(self._shared, folder)
        own = encode(item.address.name)
        return item.once(PartNames, lambda: names.in_archive(own, container) if len(names) else {})

    def _problems(self, portion: Portion, item: Item) -> dict[Address, int]:
        """The number of problems of each entry that is checked."""
        if not self._options.gathers(Gathered.PROBLEMS):
            return {}
        part = None if portion.indices is None else _range(portion.indices)
        if promised_kind(item) is PACKED:  # which is always checked as a whole
            return item.once(PACKED.id, lambda: self._checked(portion, item, None))
        return self._checked(portion, item, part)

    def _checked(self, portion: Portion, item: Item, part: range | None) -> dict[Address, int]:
        task = ValidationTask(portion.address, len(item.data), is_named=False, part=part)
        found: Counter[Address] = Counter()
        depth = len(portion.address.entries) + (portion.indices is not None)
        for report in self._validator.check(task):
            # What is wrong inside of an archive in an archive is wrong with that entry.
            source = Address(report.source.path, report.source.entries[:depth])
            found[source] += problem_count(report.diagnostics)
        if part is not None:
            for index, count in _of_directory(item).items():
                if index in part and (archive := item.archive):
                    found[portion.address.child(spelling(archive, index))] += count
        return dict(found)


def problem_count(found: Iterable[Diagnostic]) -> int:
    """The number of errors and warnings among some findings."""
    return sum(it.severity in COUNTED for it in found)


def _of_directory(item: Item) -> Counter[int]:
    """The problems that the directory of an archive has with each of its entries."""
    archive = item.archive
    if archive is None:
        return Counter()

    def made() -> Counter[int]:
        found = (*containers.check(archive), *misfits(archive))
        rows = (it.index for it in found if it.table == nres.ENTRY.name and it.severity in COUNTED)
        return Counter(it for it in rows if it is not None)

    return item.once(_of_directory, made)


def _range(indices: Sequence[int]) -> range:
    return range(min(indices), max(indices) + 1) if len(indices) else range(0)


def _file_row(name: str, kind: str | None, size: int | None) -> dict[str, Any]:
    """The members of a file in ``ls``."""
    row: dict[str, Any] = {it: [None] for it in names_of(FileRow)}
    return row | {"index": [0], "name": [name], "type_name": [kind], "size": [size]}


def begin(options: OverviewOptions) -> Callable[[], Callable[[Sequence[Any]], Iterator[Any]]]:
    """Make, in a process, the function that makes the rows of some portions."""
    return partial(_begun, options)


def _begun(options: OverviewOptions) -> Callable[[Sequence[Any]], Iterator[Any]]:
    return options.begin()
