"""``ls --columns``: a row for each entry of an archive, a folder or a game, with what is asked of it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from msgspec import UNSET, Struct, UnsetType, defstruct

from viewer.cli import text_table
from viewer.cli.answers import Answer
from viewer.cli.inputs import reading_options
from viewer.cli.processes import SharedWork, add_jobs, job_count
from viewer.cli.terminal import Style, Styled
from viewer.cli.usage.arguments import whole_number
from viewer.cli.usage.reading_arguments import add_game
from viewer.cli.usage.values import Value, takes
from viewer.errors import UsageError
from viewer.json_types import U32, JsonObject, Natural, Rows, TableRow, described
from viewer.model.kinds.columns import Columns
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.arguments import GROUPS, LODS
from viewer.operations.overview.columns import COLUMNS, OverviewColumn, columns_named
from viewer.translation import _, counted

if TYPE_CHECKING:
    from viewer.operations.overview.overview import Overview, OverviewGroup, OverviewQuery

OVERVIEW_COLUMNS: Final = "--columns"


def _member(it: OverviewColumn) -> tuple[str, Any, Any]:
    kind = str if it.is_text else Natural
    return it.name, Annotated[kind | UnsetType | None, described(str(it.doc))], UNSET


def _sum(it: OverviewColumn) -> tuple[str, Any, Any]:
    return it.name, Annotated[Natural | UnsetType, described(str(it.doc))], UNSET


ColumnValues = defstruct("ColumnValues", [*map(_member, COLUMNS.values())], bases=(JsonObject,), frozen=True)
ColumnSums = defstruct(
    "ColumnSums", [_sum(it) for it in COLUMNS.values() if not it.is_text], bases=(JsonObject,), frozen=True
)


class OverviewEntry(TableRow, frozen=True):
    """An entry of an archive or a file, with the columns that were asked for."""

    index: Natural
    name: str
    type: U32 | None
    type_name: Annotated[str | None, described("what the payload is")]
    size: Natural | None
    offset: Natural | None
    attr1: U32 | None
    attr2: U32 | None
    attr3: U32 | None
    sort_index: int | None
    packed_size: Natural | None
    method: str | None
    columns: ColumnValues  # type: ignore[valid-type]
    address: Annotated[str | UnsetType, described("in the overview of a folder")] = UNSET
    error: Annotated[str | UnsetType, described("why it cannot be read")] = UNSET


class OverviewGroupMembers(JsonObject, frozen=True):
    """Entries with the same value in the column that they are grouped by."""

    value: int | str | None
    count: Natural
    total: ColumnSums  # type: ignore[valid-type]


class OverviewContents(Struct, frozen=True):
    """The entries of an archive, a folder or a game, with columns."""

    source: str
    kind: Literal["nres", "rsli", "folder"]
    size: Natural
    entries: Rows[OverviewEntry]
    total: Annotated[ColumnSums, described("sums over what is shown")]  # type: ignore[valid-type]
    groups: Sequence[OverviewGroupMembers] | UnsetType = UNSET


def declare(parser: ArgumentParser) -> None:
    """Add the options of an overview."""
    names = ", ".join(COLUMNS)
    words = _(
        "print a row for each entry, of a folder or a game for everything in it, with these columns and "
        "their sums: {names}",
        names=names,
    )
    takes(parser.add_argument(OVERVIEW_COLUMNS, metavar="NAME,NAME", help=words), Value.COLUMN)
    sort = _("order the rows by a column; rows without a value come last")
    group = _("put rows with the same value in a column together, with their sums")
    for option, what in (("--sort", sort), ("--group-by", group)):
        takes(parser.add_argument(option, default="", metavar="NAME", help=what), Value.COLUMN)
    parser.add_argument("--reverse", action="store_true", help="order from the largest value down")
    parser.add_argument(
        "--where",
        default="",
        metavar="CONDITION",
        help="only rows that fulfill a condition on columns, such as 'triangles>600 and kind=msh'",
    )
    lod = _("the row of the slot matrix whose triangles are counted, default 0")
    group = _("the column of the slot matrix whose triangles are counted, default 0")
    for option, metavar, count, what in (("--lod", "L", LODS, lod), ("--group", "G", GROUPS, group)):
        parser.add_argument(option, type=whole_number, choices=range(count), metavar=metavar, help=what)
    add_game(parser)
    add_jobs(parser)


def refuse_without_columns(options: Namespace) -> None:
    """Raise `UsageError` for options of an overview without its columns."""
    given = {
        "--sort": options.sort,
        "--group-by": options.group_by,
        "--reverse": options.reverse,
        "--where": options.where,
        "--lod": options.lod is not None,
        "--group": options.group is not None,
        "--game": options.game,
    }
    first = next((name for name, value in given.items() if value), None)
    if first is not None:
        raise UsageError(_("needs {option}", option=OVERVIEW_COLUMNS), source=first)


def answer(
    options: Namespace,
    store: FileStore,
    source: str,
    address: Address,
    chosen: Sequence[int] | None = None,
) -> Answer:
    """The overview of what is at an address; raises `MshviewError` if nothing of it can be read.

    Parameters
    ----------
    source
        The address as it was given, perhaps with wildcards.
    chosen
        The entries of the archive that are listed; None for all.
    """
    from viewer.operations.overview import overview  # noqa: PLC0415 a listing does not load every format
    from viewer.operations.overview.reading import OverviewOptions, begin  # noqa: PLC0415

    query = overview.OverviewQuery(options.where, options.sort, options.reverse, options.group_by)
    asked = options.columns.split(",")
    shown = columns_named(it.strip() for it in asked)
    needed = (*(it.name for it in shown), *query.needed)
    wanted = OverviewOptions(
        tuple(dict.fromkeys(needed)), reading_options(options).game, options.lod or 0, options.group or 0
    )
    plan = overview.plan(store, address, wanted, chosen)
    work = SharedWork("ls", _("files"), begin(wanted), plan.sizes)
    found = plan.gathered(store, work.results(plan.tasks, job_count(plan.sizes, options.jobs)))
    return _Shown(source, found, query, shown).answer


class _Shown(Struct, frozen=True, eq=False):
    """An overview as it is printed."""

    source: str
    found: Overview
    query: OverviewQuery
    columns: tuple[OverviewColumn, ...]

    @property
    def answer(self) -> Answer:
        """The document of the answer, its text and its rows."""
        rows = self.found.arranged(self.query)
        groups = self.found.groups(rows, self.query.group_by) if self.query.group_by else None
        order = rows.tolist() if groups is None else [it for group in groups for it in group.rows.tolist()]
        return Answer(
            lambda: self._document(order, groups),
            lambda: self._lines(order, groups),
            lambda: self._rows(order),
        )

    def _document(self, order: Sequence[int], groups: Sequence[OverviewGroup] | None) -> OverviewContents:
        made = UNSET if groups is None else [*map(self._group, groups)]
        kind: Any = self.found.kind
        total: Any = self._totals(order)
        return OverviewContents(
            self.source, kind, self.found.size, [*map(self._entry, order)], total, groups=made
        )

    def _group(self, group: OverviewGroup) -> OverviewGroupMembers:
        return OverviewGroupMembers(group.value, len(group.rows), self._totals(group.rows.tolist()))

    def _totals(self, order: Sequence[int]) -> Any:
        return self.found.totals(order, self.columns)

    def _entry(self, row: int) -> Mapping[str, Any]:
        entry = self.found.stored.row(row)
        entry["columns"] = {it.name: self.found.values(it.name)[row] for it in self.columns}
        if self.found.is_folder:
            entry["address"] = str(self.found.addresses[row])
        if row in self.found.errors:
            entry["error"] = self.found.errors[row]
        return entry

    def _rows(self, order: Sequence[int]) -> Columns:
        """The rows as a table: their names, the columns, and why some cannot be read."""
        found = self.found
        columns: dict[str, Any] = (
            {"address": [str(found.addresses[row]) for row in order]}
            if found.is_folder
            else {"name": [found.names[row] for row in order]}
        )
        for it in self.columns:
            values = found.values(it.name)
            columns[it.name] = [values[row] for row in order]
        if any(row in found.errors for row in order):
            columns["error"] = [found.errors.get(row) for row in order]
        return Columns(len(order), columns)

    def _lines(self, order: Sequence[int], groups: Sequence[OverviewGroup] | None) -> Iterator[str]:
        for group in groups or ():
            value = _("none") if group.value is None else group.value
            yield Styled(f"{self.query.group_by}: {value}", Style.HEADING)
            yield from self._table(group.rows.tolist())
            yield ""
        if groups is None:
            yield from self._table(order)
        elif groups:
            entries = counted(len(order), "{count} entry", "{count} entries")
            sums = ", ".join(f"{name} {total}" for name, total in self._totals(order).items())
            yield f"{entries}: {sums}" if sums else str(entries)

    def _table(self, order: Sequence[int]) -> Iterator[str]:
        """Rows, and their sums as the last one."""
        rows = self._rows(order)
        totals: Mapping[str, Any] = self._totals(order)
        label, *others = rows.names
        entries = counted(len(order), "{count} entry", "{count} entries")
        last = {label: str(entries), **{name: totals.get(name, "") for name in others}}
        with_sums = {name: [*(rows.columns[name] or ()), last[name]] for name in rows.names}
        *lines, sums = text_table.lines(Columns(len(order) + 1, with_sums))
        yield from lines
        yield Styled(str(sums), Style.HEADING)
