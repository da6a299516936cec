"""The table of an overview: its rows, what is chosen of them, their order, their groups and their sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.errors import AddressError
from viewer.model.game import game_folder
from viewer.model.kinds.columns import Column as PlainColumn
from viewer.model.kinds.columns import Columns
from viewer.model.kinds.registry import ARCHIVE, PACKED
from viewer.model.query.condition import Condition
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.tables.column import Column, ColumnTexts, ordered
from viewer.model.tables.table import ModelTable, QueryTable
from viewer.operations.corpus.portions import Portion, divided, portions_below
from viewer.operations.overview.columns import (
    COLUMNS,
    ENTRY,
    NAME,
    Gathered,
    OverviewColumn,
    Value,
    column_named,
)
from viewer.operations.overview.reading import OverviewOptions, OverviewTask, PortionRows
from viewer.operations.overview.users import FileUses, RealAddresses, users_in, uses_tasks
from viewer.progress import Progress
from viewer.translation import _

TABLE: Final = "entries"
NOTHING: Final = -1
"""The number of a row that has no value: all others are counts."""
USED_BY: Final = "used_by"
FOLDER: Final = "folder"
RowNumbers = npt.NDArray[np.int64]


class OverviewQuery(Struct, frozen=True):
    """Choice of rows, their order and groups.

    Attributes
    ----------
    where
        A condition on columns; empty for all rows.
    sort, is_descending
        The column that orders them; empty for the order of the files. Rows without a value come last.
    group_by
        The column whose equal values stand together; empty for none.
    """

    where: str = ""
    sort: str = ""
    is_descending: bool = False
    group_by: str = ""

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns of an overview that it needs; raises `UsageError` for an unknown one."""
        named = [column_named(it).name for it in (self.sort, self.group_by) if it and it != NAME]
        if self.where:
            condition = Condition.parse(self.where)
            # On a table without rows: what is unknown is said before anything is read.
            condition.rows(QueryTable(TABLE, 0, {it: _empty(it) for it in (NAME, ENTRY, *COLUMNS)}))
            named += sorted(condition.fields & COLUMNS.keys())
        return tuple(dict.fromkeys(named))


def _empty(name: str) -> Column:
    is_text = name not in COLUMNS or COLUMNS[name].is_text
    return Column(name, lambda: ColumnTexts.of([]) if is_text else np.zeros(0, np.int64))


class OverviewGroup(Struct, frozen=True, eq=False):
    """Rows with the same value in a column; None for those without one."""

    value: Value
    rows: RowNumbers


class Overview(Struct, frozen=True, eq=False, dict=True):
    """The content of an archive, a folder or a game.

    Parameters
    ----------
    source
        What was listed.
    kind
        ``nres``, ``rsli`` or ``folder``.
    size
        Bytes of the archive, or of all files.
    parts
        The rows, portion by portion.
    users
        The units that use each payload, by its real address; None if that was not asked for, or there is
        no game.
    """

    source: Address
    kind: str
    size: int
    parts: tuple[PortionRows, ...]
    users: Mapping[Address, tuple[Address, ...]] | None = None

    def __len__(self) -> int:
        return len(self.addresses)

    @cached_property
    def known(self) -> frozenset[str]:
        """The columns that were read."""
        return frozenset(name for part in self.parts for name in part.values)

    @property
    def is_folder(self) -> bool:
        """Whether its rows are those of several files."""
        return self.kind == FOLDER

    @cached_property
    def addresses(self) -> tuple[Address, ...]:
        """The address of each row."""
        spelled = ((part.portion.address, name) for part in self.parts for name in part.spelled)
        return tuple(archive.child(name) if name else archive for archive, name in spelled)

    @cached_property
    def errors(self) -> Mapping[int, str]:
        """The reasons why rows cannot be read, by their numbers."""
        found: dict[int, str] = {}
        start = 0
        for part in self.parts:
            found |= {start + row: reason for row, reason in part.errors.items()}
            start += len(part.spelled)
        return found

    @cached_property
    def names(self) -> Sequence[str]:
        """The name of each entry or file."""
        return [str(it) for part in self.parts for it in part.stored.get(NAME, ())]

    @cached_property
    def kinds(self) -> Sequence[str]:
        """The kind of each entry or file, as ``ls`` names it; empty for one that is unknown."""
        return [str(it or "") for part in self.parts for it in part.stored.get("type_name", ())]

    @cached_property
    def stored(self) -> Columns:
        """The members of each row in ``ls``."""
        names = dict.fromkeys(name for part in self.parts for name in part.stored)
        return Columns(len(self), {name: self._joined(name) for name in names})

    def _joined(self, name: str) -> PlainColumn:
        pieces: list[Any] = [part.stored.get(name, [None] * len(part.spelled)) for part in self.parts]
        if all(type(it) is np.ndarray for it in pieces):
            return np.concatenate(pieces)
        return [*chain.from_iterable(it.tolist() if isinstance(it, np.ndarray) else it for it in pieces)]

    def values(self, name: str) -> Sequence[Value]:
        """The values of a column of the overview, or the names."""
        if name == NAME:
            return self.names
        if name not in self._values:
            found: Iterable[Value] = chain.from_iterable(part.values.get(name, ()) for part in self.parts)
            if name == USED_BY and self.users is not None:
                found = map(len, self.units)
            self._values[name] = [*found]
        return self._values[name]

    @cached_property
    def _values(self) -> dict[str, Sequence[Value]]:
        return {}

    @cached_property
    def units(self) -> Sequence[tuple[Address, ...]]:
        """The units that use each entry or file; none if that was not asked for, or there is no game."""
        if self.users is None:
            return [()] * len(self)
        real = RealAddresses()
        return [self.users.get(real.of(it), ()) for it in self.addresses]

    @cached_property
    def _columns(self) -> dict[str, Column]:
        return {}

    def column(self, name: str) -> Column:
        """The values of a column, as conditions and orders take them."""
        if name == ENTRY:
            return self._entries
        if name not in self._columns:
            is_text = name == NAME or COLUMNS[name].is_text
            found = self.values(name)
            made = ColumnTexts.of([str(it or "") for it in found]) if is_text else _numbers(found)
            doc = None if name == NAME else COLUMNS[name].doc
            self._columns[name] = Column(name, lambda: made, doc=doc, none=None if is_text else NOTHING)
        return self._columns[name]

    def table(self, names: Iterable[str]) -> ModelTable:
        """The rows with some of the columns, as a window shows them."""
        return ModelTable(TABLE, len(self), (self._entries, *map(self.column, names)))

    @cached_property
    def _entries(self) -> Column:
        """The first column of a window: made once, as paths are slow (6,700 of them take 35 ms)."""
        texts = ColumnTexts.of([*map(self._title, self.addresses)])
        return Column(ENTRY, lambda: texts, doc=_("The file, and the entry of an archive."))

    def _title(self, address: Address) -> str:
        """The name of an entry; in a folder its address from there on."""
        if not self.is_folder:
            return address.name
        return str(Address(address.path.relative_to(self.source.path), address.entries))

    def arranged(self, query: OverviewQuery) -> RowNumbers:
        """The rows that a query chooses, in its order; raises `UsageError`."""
        rows = np.arange(len(self), dtype=np.int64)
        if query.where:
            condition = Condition.parse(query.where)
            known = {it: self.column(it) for it in condition.fields & {NAME, ENTRY, *COLUMNS}}
            rows = np.flatnonzero(condition.rows(QueryTable(TABLE, len(self), known)))
        if query.sort:
            rows = ordered(self.column(query.sort), rows, is_descending=query.is_descending)
        return rows

    def groups(self, rows: RowNumbers, name: str) -> list[OverviewGroup]:
        """Groups of rows by their values in a column, in the order of these; rows without one come last."""
        found: dict[Value, list[int]] = {}
        values = self.values(name)
        for row in ordered(self.column(name), rows).tolist():
            found.setdefault(values[row] if values[row] != "" else None, []).append(row)
        # Within a group as before: equal values keep their order.
        return [OverviewGroup(value, np.array(some, np.int64)) for value, some in found.items()]

    def totals(self, rows: Sequence[int], columns: Iterable[OverviewColumn]) -> dict[str, int]:
        """The sums of the columns of numbers over some rows; what has no value adds nothing."""
        found: dict[str, int] = {}
        for it in columns:
            if not it.is_text:
                values = self.values(it.name)
                found[it.name] = sum(value for row in rows if isinstance(value := values[row], int))
        return found


def _numbers(values: Sequence[Value]) -> npt.NDArray[np.int64]:
    return np.array([it if isinstance(it, int) else NOTHING for it in values], np.int64)


class OverviewPlan(Struct, frozen=True):
    """The files to be read for an overview.

    Attributes
    ----------
    kind, size
        As in `Overview`; of a folder the size follows from its rows.
    tasks
        Portions, then files whose references are read.
    game
        The game whose units are counted, or None.
    """

    source: Address
    kind: str
    size: int
    tasks: tuple[OverviewTask, ...]
    game: Path | None = None

    @property
    def sizes(self) -> list[int]:
        """The bytes of each task, about."""
        return [it.size for it in self.tasks]

    def gathered(self, store: FileStore, results: Iterable[PortionRows | FileUses]) -> Overview:
        """The overview of what the tasks gave; raises `AddressError` if nothing could be read."""
        parts: list[PortionRows] = []
        uses: list[FileUses] = []
        for it in results:
            if isinstance(it, PortionRows):
                parts.append(it)
            else:
                uses.append(it)
        problems = [next(iter(it.errors.values())) for it in parts if it.errors and not _has_read(it)]
        if parts and len(problems) == len(parts):
            raise AddressError(_("nothing could be read: {problem}", problem=problems[0]), source=self.source)
        users = None if self.game is None else users_in(store, self.game, uses)
        size = self.size or sum(int(it or 0) for part in parts for it in part.stored.get("size", ()))
        return Overview(self.source, self.kind, size, tuple(parts), users)


def _has_read(part: PortionRows) -> bool:
    """Whether a portion is one that could be opened."""
    return part.portion.indices is not None or not part.errors


def plan(
    store: FileStore, address: Address, options: OverviewOptions, chosen: Sequence[int] | None = None
) -> OverviewPlan:
    """The plan of the overview of a folder, or of an archive; raises `MshviewError` if it is neither.

    Parameters
    ----------
    chosen
        The entries of the archive that are listed; None for all.
    """
    kind, size, portions = _portions(store, address, chosen)
    game = options.game or game_folder.around(store, address.path)
    tasks: list[OverviewTask] = [*portions]
    if not options.gathers(Gathered.USERS):
        game = None
    if game is not None:
        tasks += uses_tasks(store, game)
    return OverviewPlan(address, kind, size, tuple(tasks), game)


def _portions(
    store: FileStore, address: Address, chosen: Sequence[int] | None
) -> tuple[str, int, list[Portion]]:
    if not address.entries and store.is_folder(address.path):
        store.names(address.path)  # raises for a folder that cannot be listed
        return FOLDER, 0, [*portions_below(store, address.path)]
    item = store.open(address)
    container = item.container
    if container is None:
        raise AddressError("is not an archive", source=address)
    indices = range(len(container.rows)) if chosen is None else chosen
    each = len(item.data) // max(1, len(container.rows))
    kind = ARCHIVE.id if item.archive is not None else PACKED.id
    return kind, len(item.data), [*divided(address, indices, each)]


def collect(store: FileStore, address: Address, options: OverviewOptions, progress: Progress) -> Overview:
    """The overview of a folder or an archive, made in this thread."""
    found = plan(store, address, options)
    read = options.begin()
    with_progress = progress.over(found.tasks, _what)
    return found.gathered(store, chain.from_iterable(read([task]) for task in with_progress))


def _what(task: OverviewTask) -> str:
    return task.address.name if isinstance(task, Portion) else task.path.name
