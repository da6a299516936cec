"""What an edit changes, as JSON rows and as lines: fields, byte ranges, problems that it adds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from viewer.cli import text_table
from viewer.cli.editing.edited import EditedFile, EditedPayload
from viewer.formats import splice
from viewer.model.compare.differences import Difference
from viewer.model.edit.change import Topic
from viewer.model.kinds.record_rows import diagnostic_rows
from viewer.model.mesh.reading import ReadingChoice

HEX_LIMIT: Final = 64
"""Bytes of a range that are shown."""
SHOWN_CHANGES: Final = 50
"""Fields that the text lists; ``--json`` has all of them."""


def document(file: EditedFile, reading: ReadingChoice) -> dict[str, Any]:
    """Return what a file's edit changes, as JSON."""
    added = [finding for _, payload in file.payloads for finding in payload.added]
    return {
        "source": str(file.path),
        "changes": [row for _, payload in file.payloads for row in change_rows(payload, reading)],
        "ranges": [*ranges(file)],
        "identical": file.before == file.after,
        "diagnostics": diagnostic_rows(added),
        "made": [str(topic) for topic in topics(file)],
        "offered": [str(topic) for topic in offered(file)],
    }


def topics(file: EditedFile) -> list[Topic]:
    """Return the consequences that were made, each once."""
    return [*dict.fromkeys(topic for _, payload in file.payloads for topic in payload.made.topics)]


def offered(file: EditedFile) -> list[Topic]:
    """Return the consequences that were left out, each once."""
    return [*dict.fromkeys(it.topic for _, payload in file.payloads for it in payload.made.offered)]


def change_rows(payload: EditedPayload, reading: ReadingChoice) -> Iterator[dict[str, Any]]:
    """Yield one row per changed field of a row, and per added or removed row."""
    for found in payload.differences(reading):
        yield from _rows(found)


def _rows(found: Difference) -> Iterator[dict[str, Any]]:
    rows = found.rows_b if found.rows_a is None else found.rows_a
    for index in range(max(len(rows) if rows is not None else 0, len(found.a), 1)):
        row = None if rows is None or index >= len(rows) else int(rows[index])
        before, after = _value(found.a, index), _value(found.b, index)
        yield {
            "what": str(found.what),
            "table": found.table,
            "row": row,
            "field": found.field or None,
            "before": before,
            "after": after,
        }


def _value(values: Any, index: int) -> Any:
    if index >= len(values):
        return None
    value = values[index]
    return None if value is np.ma.masked else value


def ranges(file: EditedFile) -> Iterator[dict[str, Any]]:
    """Yield the replaced ranges of a file; bytes are left out above `HEX_LIMIT`."""
    for part in file.splices:
        size = max(len(part.before), len(part.after))
        shown = {"before": part.before.hex(), "after": part.after.hex()} if size <= HEX_LIMIT else {}
        yield {"offset": part.offset, "size": len(part.before), **shown}


def lines(file: EditedFile, reading: ReadingChoice) -> Iterator[str]:
    """Yield the same as text."""
    if file.before == file.after:
        yield f"{file.path}: no byte changes"
        return
    rows = [row for _, payload in file.payloads for row in change_rows(payload, reading)]
    for row in rows[:SHOWN_CHANGES]:
        yield change_line(row)
    if len(rows) > SHOWN_CHANGES:
        yield f"and {len(rows) - SHOWN_CHANGES} more; --json lists them all"
    if topics(file):
        yield f"with them: {', '.join(topics(file))}"
    if offered(file):
        yield f"left as they were: {', '.join(offered(file))}"
    count, size = len(file.splices), splice.total(file.splices)
    yield (
        f"{count} {'range' if count == 1 else 'ranges'}, {size} {'byte' if size == 1 else 'bytes'}; "
        "everything else identical"
    )


def change_line(row: dict[str, Any]) -> str:
    """Return a changed field as text: ``batches[3].flags: 0 -> 8``."""
    number = "" if row["row"] is None else f"[{row['row']}]"
    place = ".".join(part for part in (f"{row['table']}{number}", row["field"]) if part)
    if row["field"] is None:
        return f"{place}: {row['what']}"
    return f"{place}: {text_table.cell(row['before'])} -> {text_table.cell(row['after'])}"
