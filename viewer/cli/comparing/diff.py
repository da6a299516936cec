"""``diff``: what differs between two files, table by table and field by field."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import UNSET, Struct, UnsetType

from viewer.cli import output, text_table
from viewer.cli.answers import Answer
from viewer.cli.comparing import diff_folders
from viewer.cli.inputs import file_store, is_standard, open_item, reading_options, single
from viewer.cli.processes import add_jobs
from viewer.cli.terminal import Style, Styled
from viewer.cli.usage.arguments import add_forms, add_out
from viewer.cli.usage.reading_arguments import add_reading
from viewer.cli.usage.values import Value, takes
from viewer.errors import UsageError
from viewer.json_types import JsonObject, Natural, Rows, TableRow, described, members, names_of
from viewer.model.compare.differences import ChangeKind, Difference
from viewer.model.compare.edit_report import ChangedValue
from viewer.model.kinds import json_text
from viewer.model.kinds.columns import Column, Columns
from viewer.model.kinds.json_text import AnyRows, as_written
from viewer.model.store.address import SEPARATOR, Address
from viewer.operations.comparing import FileComparison
from viewer.operations.folders.answer import FolderDifferences
from viewer.translation import _, translated

SAME: Final = 0
DIFFERENT: Final = 1
SHOWN_CHANGES: Final = 200
"""Fields that a terminal lists unless all are requested."""
SHOWN_ROWS: Final = 10
"""Rows that a terminal lists of each field unless all are requested."""


class DifferentRow(TableRow, frozen=True):
    """A row that differs; a whole row has no values."""

    row_a: Natural | UnsetType | None = UNSET
    row_b: Natural | UnsetType | None = UNSET
    name: str | UnsetType | None = UNSET
    a: Any = UNSET
    b: Any = UNSET


class FieldDifference(JsonObject, frozen=True):
    """Differences in a field of a table."""

    path: Annotated[Sequence[str], described("the entries that contain the table, outermost first")]
    table: str
    field: Annotated[str | None, described("null for whole rows")]
    what: ChangeKind
    count: Natural
    rows: Rows[DifferentRow]


class TableDifference(JsonObject, frozen=True):
    """Numbers of rows of a table that differ."""

    path: Sequence[str]
    table: str
    fields: Annotated[Natural, described("fields in which rows differ")]
    changed: Natural
    removed: Natural
    added: Natural
    renumbered: Natural


class CountedTable(TableRow, frozen=True):
    """Numbers of rows of a table that differ, with its path as text; left out if no table has one."""

    path: str | UnsetType
    table: str
    fields: int
    changed: int
    removed: int
    added: int
    renumbered: int


class RowDifference(JsonObject, frozen=True):
    """A row that differs, in the table of all; its columns are those that any row has."""

    path: str
    table: str
    field: str | None
    what: ChangeKind
    row_a: int | None
    row_b: int | None
    a: Any
    b: Any


class Differences(Struct, frozen=True):
    """Members that every answer has."""

    a: str
    b: str
    same: bool
    summary: Annotated[Sequence[str], described("inserted, removed and renumbered rows in words")]


class DiffAnswer(Differences, frozen=True):
    """Differences field by field."""

    changes: Sequence[FieldDifference]


class DiffCounts(Differences, frozen=True):
    """Numbers of rows of each table that differ."""

    tables: Sequence[TableDifference]


ANSWER: Final = DiffAnswer, DiffCounts, FolderDifferences

STYLES: Final = {
    ChangeKind.CHANGED: Style.CHANGED,
    ChangeKind.REMOVED: Style.REMOVED,
    ChangeKind.ADDED: Style.ADDED,
    ChangeKind.RENUMBERED: Style.CHANGED,
}


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    takes(
        parser.add_argument("a", metavar="A", help="a file, an entry of an archive, or a folder"),
        Value.ADDRESS,
    )
    takes(parser.add_argument("b", metavar="B", help="another one"), Value.ADDRESS)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--stat", action="store_true", help="count the rows that differ of each table")
    how.add_argument(
        "--tree",
        action="store_true",
        help="by entry, table and row; rows that were inserted or removed shift no others",
    )
    add_out(
        parser,
        "DIR",
        "of two folders: a page with pictures of what differs side by side, and the fields",
        is_required=False,
        value=Value.FOLDER,
    )
    add_jobs(parser)
    add_forms(parser, "a row for each row that differs, or with --stat for each table,")
    add_reading(parser)


def run(options: Namespace) -> int:
    """Print what differs; 0 if nothing does, else 1."""
    reading = reading_options(options).reading
    store = file_store(options.a, options.b)
    are_folders = [not is_standard(it) and store.is_folder(Path(it)) for it in (options.a, options.b)]
    if any(are_folders):
        for text in (options.a, options.b):
            store.names(Path(text))  # of a folder and anything else the other one is wrong
        return diff_folders.run(options)
    if options.out:
        raise UsageError("is for two folders", source="-o")
    a, b = (open_item(options, single(store, text), store) for text in (options.a, options.b))
    found = FileComparison.of(a, b, reading)
    shown = _tree_lines if options.tree else _stat_lines if options.stat else _lines
    answer = Answer(
        lambda: _document(options, found),
        lambda: shown(found),
        lambda: _table_rows(options, found.changes),
    )
    answer.write("diff", options, names_of(RowDifference))
    return DIFFERENT if found.changes else SAME


def _document(options: Namespace, comparison: FileComparison) -> Differences:
    changes = comparison.changes
    found = members(Differences(options.a, options.b, not changes, [*map(str, comparison.summary)]))
    if options.stat:
        return DiffCounts(**found, tables=_stat_rows(changes))
    own = [FieldDifference.of(it, field=it.field or None, rows=_rows(it)) for it in changes]
    return DiffAnswer(**found, changes=own)


def _table_rows(options: Namespace, changes: Sequence[Difference]) -> AnyRows:
    """A row for each row that differs, with the field and both values; or for each table."""
    if options.stat:
        return [CountedTable.of(row, path=SEPARATOR.join(row.path)) for row in _stat_rows(changes)]
    heads = ("path", "table", "field", "what")
    return [
        {**dict(zip(heads, _head(change), strict=True)), **row} for change in changes for row in _rows(change)
    ]


def _head(change: Difference) -> tuple[str, str, str | None, str]:
    return SEPARATOR.join(change.path), change.table, change.field or None, str(change.what)


def _stat_rows(changes: Iterable[Difference]) -> list[TableDifference]:
    """Rows by table: how many of its rows differ in any field, are new, or are gone."""
    tables: dict[tuple[tuple[str, ...], str], list[Difference]] = defaultdict(list)
    for change in changes:
        tables[change.path, change.table].append(change)
    return [
        TableDifference(
            path=path,
            table=table,
            fields=sum(change.what is ChangeKind.CHANGED for change in found),
            **{
                str(what): _row_count(change for change in found if change.what is what)
                for what in ChangeKind
            },
        )
        for (path, table), found in tables.items()
    ]


def _row_count(changes: Iterable[Difference]) -> int:
    """The number of rows in changes of one table: a row may differ in several fields."""
    listed: set[int] = set()
    most = 0
    for change in changes:
        rows = change.rows_a if change.rows_a is not None else change.rows_b
        listed.update(() if rows is None else rows.tolist())
        most = max(most, change.count)
    return max(most, len(listed))


def _stat_lines(found: FileComparison) -> Iterator[str]:
    rows = _stat_rows(found.changes)
    if not rows:
        return
    has_paths = any(row.path for row in rows)
    shown = [CountedTable.of(it, path=SEPARATOR.join(it.path) if has_paths else UNSET) for it in rows]
    yield from text_table.lines(shown)
    totals = ", ".join(f"{sum(getattr(row, what) for row in rows)} {translated(what)}" for what in ChangeKind)
    yield _("tables {count}; rows {totals}", count=len(rows), totals=totals)


def _rows(change: Difference) -> Columns:
    columns = {
        "row_a": change.rows_a,
        "row_b": change.rows_b,
        "name": change.names,
        "a": change.a,
        "b": change.b,
    }
    count = max(len(column) for column in columns.values() if column is not None)
    kept = {name: column for name, column in columns.items() if column is not None and len(column)}
    return Columns(count, kept)


def _shown(change: Difference, name: str, column: Column) -> Column:
    """A column as text shows it: sets of bits in hexadecimal."""
    if column is None or not change.digits or name not in ("a", "b"):
        return column
    return [*as_written(change.digits, [*column])]


def _tree_lines(found: FileComparison) -> Iterator[str]:
    """Lines of each payload, its tables and their rows: ``keys: 1 added``, ``[4] added``."""
    yield from map(str, found.summary)
    limit = output.most_shown(SHOWN_ROWS)
    payload: Address | None = None
    for table in found.tables:
        if table.address != payload:
            payload = table.address
            yield str(payload)
        counts = ", ".join(f"{count} {translated(what)}" for what, count in table.counts.items() if count)
        yield f"{text_table.INDENT}{table.table or _('file')}: {counts}"
        for value in table.values[:limit]:
            place = value.in_file.removeprefix(table.table) or value.field
            name = f" {value.name}" if value.name else ""
            words = f"{2 * text_table.INDENT}{place.removeprefix('.')}{name}: "
            yield Styled(_change_text(value), STYLES[value.what], words)
        if limit is not None and len(table.values) > limit:
            yield _(
                "{value}and {count} more; -v lists them all",
                value=2 * text_table.INDENT,
                count=len(table.values) - limit,
            )


def _change_text(value: ChangedValue) -> str:
    """Text of a change: both values, or what happens to a whole row."""
    if value.what is not ChangeKind.CHANGED or not value.field:
        return translated(value.what)
    if value.digits:
        return " -> ".join(map(str, value.written))
    return " -> ".join(json_text.encode(it) for it in (value.before, value.after))


def _lines(found: FileComparison) -> Iterator[str]:
    """Lines of each difference, ``walker.msh: nodes.parent: 3 changed``, and its rows."""
    changes = found.changes
    limit, row_limit = output.most_shown(SHOWN_CHANGES), output.most_shown(SHOWN_ROWS)
    for change in islice(changes, limit):
        place = ".".join(part for part in (change.table, change.field) if part)
        where = ": ".join(part for part in (SEPARATOR.join(change.path), place) if part)
        yield Styled(f"{change.count} {translated(change.what)}", STYLES[change.what], f"{where}: ")
        rows = _rows(change)
        shown = {name: _shown(change, name, it) for name, it in rows.columns.items()}
        lines = text_table.lines(Columns(len(rows), shown), row_limit)
        yield from (text_table.INDENT + line for line in lines)
    if limit is not None and len(changes) > limit:
        yield _("and {count} more; -v lists them all", count=len(changes) - limit)
