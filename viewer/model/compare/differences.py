"""Differences as plain data, and their search in bytes, records and payloads, part by part."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.formats.msh.nodes import NODE
from viewer.formats.part import Part, encode
from viewer.formats.record import Bytes, Field, Record, Rows
from viewer.formats.splice import same_bytes
from viewer.formats.text import decode, until_nul
from viewer.geometry.transforms import Indices
from viewer.model.compare import alignment
from viewer.model.kinds.columns import record_row
from viewer.model.store.address import Address
from viewer.model.store.place import Place

MOST_BYTES: Final = 1000
"""Differing bytes of an unknown format that are listed individually; further ones are counted."""

_PART: Final = 1 << 20
"""Bytes that are compared together; limits the memory."""

Values = npt.NDArray[Any] | Sequence[Any]
"""Values by row."""

Names = tuple[Sequence[str], Sequence[str]]
"""Names of the rows of two tables; empty if they have none."""
NAMELESS: Final[Names] = ((), ())

Follows = Callable[[Field, tuple[Rows, Rows], alignment.Match], npt.NDArray[np.bool_]]
"""Pairs that refer to the same row of another table in both files, though its index may differ, (n,) bool."""


class ChangeKind(StrEnum):
    """The kinds of difference between rows of the second file and the first."""

    CHANGED = "changed"
    REMOVED = "removed"
    ADDED = "added"
    RENUMBERED = "renumbered"
    """The value is another row number of the same row: rows before it were inserted or removed."""


class Difference(Struct, frozen=True, eq=False):
    """Rows of a table that differ in one field, or that only one file has.

    Attributes
    ----------
    table, field
        The differing table and field; `table` is empty for a field of the file, `field` for whole rows.
    rows_a, rows_b
        The rows in each file, (n,) int64; None if there are no rows, or none in that file.
    a, b
        The values of the field, one per row; empty for whole rows.
    names
        Names of the rows, if they have names.
    count
        Number of differing rows; more than listed if the list would be too long.
    path
        The entries that contain the table, outermost first.
    is_inserted
        Whether rows that the first file has too follow the added ones.
    owners
        The name of the node of each changed vertex.
    digits
        Hexadecimal digits of the values if they are sets of bits, 0 otherwise.
    """

    table: str
    field: str
    what: ChangeKind
    count: int
    rows_a: Indices | None = None
    rows_b: Indices | None = None
    a: Values = ()
    b: Values = ()
    names: Sequence[str] = ()
    path: tuple[str, ...] = ()
    is_inserted: bool = False
    owners: Sequence[str] = ()
    digits: int = 0

    def place(self, address: Address) -> Place:
        """The table and field in one of the two files, given the address of that file.

        A field of the whole file has its name as a table. An entry with another index in the second
        file is found by its name only.
        """
        inside = address.child(*self.path)
        return Place(inside, self.table, None, self.field) if self.table else Place(inside, self.field)

    def places(self, a: Address, b: Address) -> Iterator[Place]:
        """The differing rows, if there are rows, in the first file, then in the second one."""
        for address, rows in ((a, self.rows_a), (b, self.rows_b)):
            place = self.place(address)
            yield from (replace(place, row=row) for row in ([] if rows is None else rows.tolist()))


def of_value(table: str, name: str, a: Any, b: Any) -> Iterator[Difference]:
    """The difference of two values that occur once in a file."""
    if a != b:
        yield Difference(table, name, ChangeKind.CHANGED, 1, a=[a], b=[b])


def of_rows(table: str, match: alignment.Match, names: Names = NAMELESS) -> Iterator[Difference]:
    """Rows that exist in only one table."""
    removed, added = match.only_a, match.only_b
    if len(removed):
        yield Difference(
            table, "", ChangeKind.REMOVED, len(removed), rows_a=removed, names=_named(names[0], removed)
        )
    if len(added):
        # If a paired row follows the first new one, rows were inserted, not appended.
        is_inserted = bool(added[0] < match.b.max(initial=-1))
        yield Difference(
            table,
            "",
            ChangeKind.ADDED,
            len(added),
            rows_b=added,
            names=_named(names[1], added),
            is_inserted=is_inserted,
        )


def of_column(
    location: tuple[str, str],
    match: alignment.Match,
    is_different: npt.NDArray[np.bool_],
    columns: tuple[Values, Values],
    names: Names = NAMELESS,
    what: ChangeKind = ChangeKind.CHANGED,
) -> Iterator[Difference]:
    """Pairs that differ in a field, given by table and name, and its columns in both tables."""
    rows_a, rows_b = match.a[is_different], match.b[is_different]
    if len(rows_a):
        a, b = _picked(columns[0], rows_a), _picked(columns[1], rows_b)
        yield Difference(*location, what, len(rows_a), rows_a, rows_b, a, b, _named(names[0], rows_a))


def of_order(table: str, match: alignment.Match, names: Names = NAMELESS) -> Iterator[Difference]:
    """Pairs whose position among all pairs differs."""
    yield from _of_indices(table, match, match.moved, names, ChangeKind.CHANGED)


def of_indices(table: str, match: alignment.Match, names: Names = NAMELESS) -> Iterator[Difference]:
    """Pairs whose index differs, though not their position among all pairs."""
    yield from _of_indices(table, match, (match.a != match.b) & ~match.moved, names, ChangeKind.RENUMBERED)


def _of_indices(
    table: str, match: alignment.Match, is_one: npt.NDArray[np.bool_], names: Names, what: ChangeKind
) -> Iterator[Difference]:
    rows_a, rows_b = match.a[is_one], match.b[is_one]
    if len(rows_a):
        named = _named(names[0], rows_a)
        yield Difference(table, "index", what, len(rows_a), rows_a, rows_b, rows_a, rows_b, named)


def of_records(
    record: Record,
    rows: tuple[Rows, Rows],
    match: alignment.Match,
    names: Names = NAMELESS,
    follows: Follows | None = None,
) -> Iterator[Difference]:
    """Pairs of records that differ, field by field and bit by bit."""
    for declared in record.fields:
        yield from of_field(record.name, declared, rows, match, names, follows)


def of_field(
    table: str,
    declared: Field,
    rows: tuple[Rows, Rows],
    match: alignment.Match,
    names: Names = NAMELESS,
    follows: Follows | None = None,
) -> Iterator[Difference]:
    """Pairs of records that differ in one field; `follows` says which of them refer to the same row."""
    a, b = (side[declared.name] for side in rows)
    location, columns = (table, declared.name), (_shown(declared, a), _shown(declared, b))
    is_different = _differs(a[match.a], b[match.b])
    digits = 2 * np.dtype(declared.dtype).itemsize if declared.is_bits else 0
    if follows is not None and is_different.any():
        # Another number of the same row is no change of its own: it follows from the rows that were inserted
        # or removed before it.
        is_same_row = is_different & follows(declared, rows, match)
        yield from of_column(location, match, is_same_row, columns, names, ChangeKind.RENUMBERED)
        is_different &= ~is_same_row
    for found in of_column(location, match, is_different, columns, names):
        yield replace(found, digits=digits) if digits else found


def _differs(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Rows whose bytes differ, (n,) bool."""
    if not a.nbytes:
        return np.zeros(len(a), np.bool_)
    # As bytes: a NaN that stayed is no difference, and -0.0 for 0.0 is one.
    stored = (np.ascontiguousarray(side).view(np.uint8).reshape(len(side), -1) for side in (a, b))
    before, after = stored
    different: npt.NDArray[np.bool_] = np.any(before != after, axis=1)
    return different


def _shown(column: Field, values: npt.NDArray[Any]) -> Values:
    """A column for display: names, with the bytes after their NUL if those are not zero."""
    if values.dtype.kind in "SV":
        return _Texts(values, is_text=column.is_text)
    return values if column.none is None else np.ma.masked_equal(values, column.none)


class _Texts(Sequence[str]):
    """A column of name fields, decoded on access; in hexadecimal if it may not be text."""

    def __init__(self, values: npt.NDArray[Any], *, is_text: bool) -> None:
        # Names are decoded where they are shown: of a directory of a million entries few are.
        self._values = values
        self._is_text = is_text

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, row: Any) -> Any:
        raw = self._values[row].tobytes()
        if not self._is_text:
            return raw.hex()
        text = decode(until_nul(raw))
        # Bytes behind the NUL may be all that differs: without them two equal names would be shown as a
        # change.
        behind = raw[len(until_nul(raw)) :].strip(b"\0")
        return f"{text} ({raw.hex()})" if behind or not text.isprintable() else text


def _picked(values: Values, rows: Indices) -> Values:
    return values[rows] if isinstance(values, np.ndarray) else [values[row] for row in rows.tolist()]


def _named(names: Sequence[str], rows: Indices) -> list[str]:
    """The names of some rows; empty if rows have no names."""
    return [names[row] for row in rows.tolist()] if len(names) else []


def of_bytes(table: str, a: Bytes, b: Bytes) -> Iterator[Difference]:
    """The first differing bytes, their number, and the sizes."""
    yield from of_value(table, "size", len(a), len(b))
    size = min(len(a), len(b))
    if not size:
        return
    before, after = (np.frombuffer(data, np.uint8, size) for data in (a, b))
    count, rows = 0, np.empty(0, np.int64)
    for start in range(0, size, _PART):
        is_different = before[start : start + _PART] != after[start : start + _PART]
        count += int(np.count_nonzero(is_different))
        # All are counted, and the first are kept.
        if len(rows) < MOST_BYTES:
            rows = np.concatenate((rows, np.flatnonzero(is_different) + start))[:MOST_BYTES]
    if count:
        yield Difference(table, "byte", ChangeKind.CHANGED, count, rows, rows, before[rows], after[rows])


Cells = defaultdict[str, list[tuple[int, int, Any, Any]]]
"""For each field the rows of both sides that differ, with both values."""


def of_parts(
    a: Part, b: Part, path: str = "", nodes: alignment.NodeRows | None = None
) -> Iterator[Difference]:
    """The differences inside two parts; their own parts are matched by name.

    `nodes` are those of the model that both number.
    """
    left, right = ({child.name: child for child in part.children} for part in (a, b))
    for name in dict.fromkeys((*left, *right)):
        yield from _of_pair(f"{path}.{name}" if path else name, left.get(name), right.get(name), nodes)


def _of_pair(
    path: str, a: Part | None, b: Part | None, nodes: alignment.NodeRows | None = None
) -> Iterator[Difference]:
    if a is None or b is None:
        yield from of_value(path, "size", a.size if a else 0, b.size if b else 0)
    elif a.is_list and b.is_list:
        yield from _of_lists(path, a, b, nodes)
    elif a.is_leaf and b.is_leaf:
        yield from _of_leaves(path, a, b, nodes)
    else:
        yield from of_parts(a, b, path, nodes)


def _of_leaves(path: str, a: Part, b: Part, nodes: alignment.NodeRows | None) -> Iterator[Difference]:
    """Records by content, or as the nodes that they belong to; or bytes."""
    if a.record is None or b.record is None or a.record.dtype != b.record.dtype:
        yield from of_bytes(path, encode(a), encode(b))
        return
    # A single record is a table of one row.
    before, after = (np.atleast_1d(np.asarray(part.rows)) for part in (a, b))
    follows = None if nodes is None else nodes.rows.follows
    # References as the second file would have them: else an inserted node would change every row that numbers
    # one behind it, and no row would find its partner.
    renumbered = before if nodes is None else nodes.rows.in_b(a.record, before)
    match, names = alignment.by_content(*alignment.content_of_rows(renumbered, after)), NAMELESS
    # Rows next to a model that belong to its nodes one by one, as the damage of each, are paired as these
    # are.
    if nodes is not None and path == NODE.name and nodes.match.fits(len(before), len(after)):
        match, names = nodes.match, nodes.names
    yield from of_rows(path, match, names)
    for field in a.record.fields:
        yield from of_field(path, field, (before, after), match, names, follows)


def _of_lists(path: str, a: Part, b: Part, nodes: alignment.NodeRows | None) -> Iterator[Difference]:
    """Rows of different lengths by content; parts inside a row come after the fields of all rows."""
    match = alignment.by_content(
        *alignment.content_of_values(map(encode, a.children), map(encode, b.children))
    )
    cells: Cells = defaultdict(list)
    inner: list[tuple[str, Part, Part]] = []
    for rows in zip(match.a.tolist(), match.b.tolist(), strict=True):
        pair = a.children[rows[0]], b.children[rows[1]]
        if isinstance(pair[0].rows, np.void) and isinstance(pair[1].rows, np.void):
            _compare_rows(rows, *pair, cells)
        else:
            inner.append((f"{path}[{rows[1]}]", *pair))
    for name, changed in cells.items():
        rows_a, rows_b, before, after = (list(column) for column in zip(*changed, strict=True))
        numbers = np.array(rows_a, np.int64), np.array(rows_b, np.int64)
        yield Difference(path, name, ChangeKind.CHANGED, len(changed), *numbers, before, after)
    yield from of_rows(path, match)
    for inner_path, before_part, after_part in inner:
        yield from _of_pair(inner_path, before_part, after_part, nodes)


def _compare_rows(rows: tuple[int, int], a: Part, b: Part, cells: Cells) -> None:
    """Note the fields of two single records that differ; records of different kinds differ as a whole."""
    if same_bytes(encode(a), encode(b)):
        return
    if a.name != b.name:
        # Fields of different records are not each other's, even of the same name.
        cells["kind"].append((*rows, a.name, b.name))
        return
    before, after = ({**_stored(part)} for part in (a, b))
    shown = [*map(_shown_fields, (a, b))]
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) != after.get(name):
            cells[name].append((*rows, shown[0].get(name), shown[1].get(name)))


def _stored(part: Part) -> dict[str, bytes]:
    """The bytes of each field of a single record."""
    fields = part.record.fields if part.record else ()
    stored = encode(part)
    return {field.name: stored[field.offset : field.offset + field.size] for field in fields}


def _shown_fields(part: Part) -> dict[str, Any]:
    """The fields of a single record as plain data."""
    if part.record is None or not isinstance(part.rows, np.void):
        return {}
    return record_row(part.record, part.rows)
