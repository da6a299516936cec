"""``diff``: what differs between two files, table by table and field by field."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from viewer.cli import output, text_table
from viewer.cli.arguments import add_json, add_reading
from viewer.cli.inputs import game_option, open_item
from viewer.model.compare.differences import Difference
from viewer.model.compare.files import ComparedPayload, compare
from viewer.model.kinds.columns import Columns
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import SEPARATOR

SAME: Final = 0
DIFFERENT: Final = 1
SHOWN_CHANGES: Final = 200
"""Fields that the text lists; ``--json`` has all of them."""
SHOWN_ROWS: Final = 10
"""Rows that the text lists of each field."""


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument("a", metavar="A", help="a file, or an entry of an archive")
    parser.add_argument("b", metavar="B", help="another one")
    add_json(parser)
    add_reading(parser)


def run(options: Namespace) -> int:
    """Print what differs; 0 if nothing does, else 1."""
    game_option(options)
    a, b = (ComparedPayload.of(open_item(options, address)) for address in (options.a, options.b))
    changes = list(compare(a, b, ReadingChoice(options.reading)))
    if options.json:
        output.write_json("diff", _document(options, changes))
    else:
        output.write_lines(_lines(changes))
    return DIFFERENT if changes else SAME


def _document(options: Namespace, changes: Sequence[Difference]) -> dict[str, Any]:
    return {"a": options.a, "b": options.b, "same": not changes, "changes": [*map(_row, changes)]}


def _row(change: Difference) -> dict[str, Any]:
    """A difference with all its rows, with both values of each."""
    return {
        "path": change.path,
        "table": change.table,
        "field": change.field or None,
        "what": str(change.what),
        "count": change.count,
        "rows": _rows(change),
    }


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


def _lines(changes: Sequence[Difference]) -> Iterator[str]:
    for change in islice(changes, SHOWN_CHANGES):
        yield _heading(change)
        yield from (text_table.INDENT + line for line in text_table.lines(_rows(change), SHOWN_ROWS))
    if len(changes) > SHOWN_CHANGES:
        yield f"and {len(changes) - SHOWN_CHANGES} more; --json lists them all"


def _heading(change: Difference) -> str:
    """Location and number of rows of a difference: ``walker.msh: nodes.parent: 3 changed``."""
    spot = ".".join(part for part in (change.table, change.field) if part)
    where = ": ".join(part for part in (SEPARATOR.join(change.path), spot) if part)
    return f"{where}: {change.count} {change.what}"
