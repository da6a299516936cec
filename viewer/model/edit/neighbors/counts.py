"""The number of rows of a payload that the directory states in ``attr1``, where it does so today.

Source: spec/nres.md 2, spec/field-notes.md 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from viewer.errors import FormatError
from viewer.formats.archive import nres
from viewer.formats.part import find
from viewer.model.edit.archive.entries import DescribeEntry
from viewer.model.edit.plan import Plan
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import promised_kind
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore, Item

COUNTED: Final[Mapping[str, str]] = {"control_points": "points", "damage": "nodes", "ground_plan": "rings"}
"""The table whose rows are counted, by the id of the kind."""


def find_counts(library: FileStore, payloads: Iterable[tuple[Address, Plan]]) -> Iterator[DescribeEntry]:
    """Yield the new numbers of rows of entries whose number was right before their plans."""
    for address, made in payloads:
        if made.splices and address.entries:
            yield from _count(library.open(address), made)


def _count(item: Item, made: Plan) -> Iterator[DescribeEntry]:
    kind, entry = promised_kind(item), item.entry
    table = COUNTED.get(kind.id)
    if table is None or not isinstance(entry, nres.Entry):
        return
    before, after = (_rows(kind, entry, data, table) for data in (made.before, made.after))
    if after is not None and before == entry.attr1 != after:
        yield DescribeEntry(item.address.entries[-1], attr1=after)


def _rows(kind: Kind, entry: nres.Entry, data: memoryview, table: str) -> int | None:
    """The rows of a table; None if the bytes cannot be read."""
    try:
        part = find(kind.parts(kind.decode(data, entry)), table)
    except FormatError:
        return None
    return None if part is None else part.count
