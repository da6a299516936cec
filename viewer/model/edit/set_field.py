"""Setting a field of rows of a table, of any kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from viewer.errors import EditError, FormatError, UsageError, shortened
from viewer.formats.msh import triangles, vertices
from viewer.formats.msh.tables import NORMALS, POSITIONS, TABLES, TRIANGLES, UVS
from viewer.formats.packing import quantise
from viewer.formats.part import Part
from viewer.formats.record import Bits, Field, Record, Rows
from viewer.formats.splice import Splice, exact, ordered
from viewer.geometry.transforms import Indices
from viewer.model.edit import values
from viewer.model.edit.change import Change, change, refusal, refuse_missing
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.vertex_tables import put, rows_of
from viewer.model.edit.nodes.rename_node import set_labels, set_names
from viewer.model.edit.nodes.set_key import set_quaternions
from viewer.model.edit.rows import wear_lines, whole_texts
from viewer.model.edit.set_place import set_form, split
from viewer.model.edit.typed_words import Fields, Typed, Word, value_of
from viewer.model.edit.values import ONLY, PRINTED, RowChoice, refused_at
from viewer.model.tables.set_fields import (
    DIRECTORY_NAMES,
    FACE_NORMAL,
    RAW_NAMES,
    SELECTORS,
    VERTEX_NORMAL,
    VERTEX_UV,
    DecodedField,
)
from viewer.translation import _


def set_as_stored(
    table: int, field: Field, draft: Draft, rows: Sequence[int], value: Any, element: tuple[int, ...]
) -> None:
    """Set a field that is printed in another table than its own, or an element of it; raises `EditError`."""
    stored, chosen = _chosen(draft, table, rows)
    if len(chosen):
        after = stored[field.name][chosen]
        with refused_at(TABLES[table].name, int(chosen[0]), field.name):
            first = values.stored(field, value, after[0], element)
        after[_in_all_rows(element)] = first[element]
        stored[field.name][chosen] = after
        put(draft, table, stored)


def set_decoded(
    table: int, printed: DecodedField, draft: Draft, rows: Sequence[int], value: Any, element: tuple[int, ...]
) -> None:
    """Set a field as it is printed, or an element of it; raises `EditError` beyond its limits."""
    stored, chosen = _chosen(draft, table, rows)
    if not len(chosen):
        return
    name, low, high = printed.field.name, printed.low, printed.high
    raw = stored[name][chosen]
    before = printed.decode(raw)
    with refused_at(TABLES[table].name, int(chosen[0]), name):
        first = values.stored(printed.field, value, before[0], element)
        # A value beyond the limits that is there already may be set again
        if not ((first >= low) & (first <= high) | (first == before[0])).all():
            raise refusal("{value} exceeds {low}..{high}", value=first.tolist(), low=low, high=high)
    after = before.copy()
    after[_in_all_rows(element)] = first[element]
    info, count = np.iinfo(raw.dtype), after.shape[1]
    packed = quantise(after, printed.scale, int(info.min), int(info.max))
    # Components that decode to what was asked for keep their bits, and so do those after the last
    raw[:, :count] = np.where(after != before, packed, raw[:, :count])
    stored[name][chosen] = raw
    put(draft, table, stored)


def _in_all_rows(element: tuple[int, ...]) -> tuple[Any, ...]:
    """The index of an element in the values of all rows."""
    return (slice(None), *element)


def set_selectors(draft: Draft, rows: Sequence[int], value: Any, element: tuple[int, ...]) -> None:
    """Set the selectors of descriptors, 0 to 2 or None; the other bits of their word stay."""
    stored, chosen = _chosen(draft, TRIANGLES, rows)
    for row in chosen.tolist():
        word = int(stored["selectors"][row])
        before = triangles.decode_selectors(np.array(word, np.uint16))
        with refused_at(TABLES[TRIANGLES].name, row, "selectors"):
            after = values.stored(SELECTORS, value, before, element)
            if (after > triangles.NO_SELECTOR).any():
                raise refusal("{value} exceeds {low}..{high}", value=after.tolist(), low=0, high=2)
        # & binds before |: of 0xFFFF the upper ten bits stay, which on 1387 faces of the game are not 0
        # (spec/field-notes.md 2).
        stored["selectors"][row] = word & ~triangles.ALL_NONE | int(triangles.encode_selectors(after))
    put(draft, TRIANGLES, stored)


def _chosen(draft: Draft, table: int, rows: Sequence[int]) -> tuple[Rows, Indices]:
    """A copy of a table, and the rows, all of which it has; raises `EditError`."""
    stored = rows_of(draft, table)
    refuse_missing(rows, len(stored), TABLES[table].name)
    return stored, np.asarray(rows, np.int64)


def _written(field: Field | None, value: Any) -> Any:
    """A value as it is written in text: the bits of whole numbers as hexadecimal digits."""
    if field is None or not field.is_bits or type(value) is not int:
        return value
    size = np.dtype(field.dtype).itemsize
    # The bits of a negative number too: -1 of 16 bits is 0xFFFF.
    return f"0x{value & (1 << 8 * size) - 1:0{2 * size}X}"


Setter = Callable[[Draft, Sequence[int], Any, tuple[int, ...]], None]
"""Sets a value, or an element of it, in rows of its table; raises `EditError`."""

DIRECTORY: Final = "directory"
SETTERS: Final[Mapping[tuple[str, str, str], Setter]] = {
    ("msh", "nodes", "name"): set_names,
    ("msh", "nodes", "takes"): set_labels,
    ("msh", "keys", "quaternion"): set_quaternions,
    ("control", "components", "label"): whole_texts.set_labels,
    ("msh", "strings", "text"): wear_lines.set_texts,
    ("strings", "strings", "text"): wear_lines.set_texts,
    ("msh", "vertices", "position"): partial(set_as_stored, POSITIONS, vertices.POSITION.field("position")),
    ("msh", "vertices", "normal_raw"): partial(set_as_stored, NORMALS, vertices.NORMAL.field("normal")),
    ("msh", "vertices", "uv_raw"): partial(set_as_stored, UVS, vertices.UV.field("uv")),
    ("msh", "vertices", "normal"): partial(set_decoded, NORMALS, VERTEX_NORMAL),
    ("msh", "vertices", "uv"): partial(set_decoded, UVS, VERTEX_UV),
    ("msh", "tri_descriptors", "normal"): partial(set_decoded, TRIANGLES, FACE_NORMAL),
    ("msh", "tri_descriptors", "selectors"): set_selectors,
    **{("wear", table, field): set_text for (table, field), set_text in wear_lines.SETTERS.items()},
}
"""By the id of the kind, table and field.

How a column is decoded, and within which limits it is set, is declared with the columns (`set_fields` of
`viewer/model/tables`); what that does to a draft is said here, as readers of tables need no drafts.
"""
STORED: Final[Mapping[tuple[str, str], str]] = {
    **{(DIRECTORY, name): stored for name, stored in DIRECTORY_NAMES.items()},
    **RAW_NAMES,
}
"""Stored fields that are printed under another name, by table and printed name."""
PRINTED_TABLES: Final[Mapping[tuple[str, str], str]] = {
    ("msh", "resources"): DIRECTORY,
    ("nres", "entries"): DIRECTORY,
    ("rsli", "entries"): DIRECTORY,
}
"""Tables that are printed under another name, by the id of the kind and printed name."""
GROUPS: Final[Mapping[tuple[str, str], str]] = {
    ("msh", "header.sphere"): "sphere_",
    ("msh", "header.capsule"): "capsule_",
}
"""Starts of the names of header fields that are printed as a record of their own."""


def stored_place(kind: str, table: str, field: str) -> tuple[str, str]:
    """The table and the field where the value is stored that ``inspect`` prints at a place."""
    group = GROUPS.get((kind, table))
    if group is not None:
        return "header", group + field
    return PRINTED_TABLES.get((kind, table), table), field


def setter_of(draft: Draft, table: str, field: str) -> Setter | None:
    """Setter of a field that is more than the bytes of one record; None for a stored field.

    Raises `EditError` for a table that is only printed and does not have the field.
    """
    found = SETTERS.get((draft.kind.id, table, field))
    # The declaration is the same for all rows of a list: ``[3]`` is ``[]`` there.
    order = whole_texts.FIELDS.get((draft.kind.id, re.sub(r"\[\d+\]", "[]", table)), ())
    if field in order and field not in (whole_texts.LENGTH, whole_texts.END):
        found = partial(whole_texts.set_text, table, order, field)
    if found is None and draft.kind.id == "msh" and table in PRINTED:
        # A table that is only printed has no record whose fields could be set: these are all.
        names = ", ".join(name for _ignored, other, name in SETTERS if other == table)
        raise refusal("has no field {name}; it has {names}", table, None, field, name=field, names=names)
    return found


def stored_name(table: str, field: str) -> str:
    """The name under which the stored value of a declared field is set: ``quaternion_raw``.

    It is another one than that of the field if ``inspect`` prints the field decoded.
    """
    raw = (name for (other, name), stored in STORED.items() if (other, stored) == (table, field))
    return next(raw, field)


MANY: Final = 64
"""Changed rows from which on a table is compared as a whole."""
HEADER: Final = "header"
"""The record whose fields ``inspect`` shows as those of the part that it is in."""


def assigned(words: Sequence[str]) -> Fields:
    """``TABLE[ROWS].FIELD=VALUE``; raises `UsageError`."""
    place, value = split(words[0], "=")
    if value is None:
        raise UsageError(_("{words!r} has no '=' after the field", words=words[0]))
    return {name: it for name, it in set_form(place, value_of(value)).items() if name != "do"}


@change(
    "set",
    typed=Typed(
        "set a field, as inspect --json prints it; ROWS: 3, 2:8, * or a condition such as index_count>300",
        (Word("TABLE[ROWS].FIELD=VALUE"),),
        assigned,
    ),
)
class SetField(Change, frozen=True):
    """Set a field, or an element of it, in all chosen rows.

    Parameters
    ----------
    table
        Path of a table or of a single record: ``batches``, ``blocks[2].keys``, ``header``.
    rows
        The rows; empty for a single record.
    field
        Name of a field, an element of it, or a group of its bits: ``flags``, ``slots[0][2]``, ``mode``.
    value
        As ``inspect`` prints it: number, text, None, nested tuples.
    """

    table: str
    rows: RowChoice
    field: str
    value: Any

    @property
    def words(self) -> str:
        """The place and the value."""
        return self._words(self.value)

    def words_in(self, draft: Draft) -> str:
        """The place and the value, that of flags and of fields of unknown meaning in hexadecimal."""
        field: Field | None = None
        with suppress(FormatError, UsageError):  # the change says itself what it misses
            table, name = stored_place(draft.kind.id, self.table, values.field_path(self.field)[0])
            part = draft.part(table)
            owner = part.children[0] if part.is_list and part.children else part
            _owner, _record, field, bits = _declared(owner, STORED.get((table, name), name))
            field = field if bits is None else None
        return self._words(_written(field, self.value))

    def _words(self, value: Any) -> str:
        rows = f"[{self.rows}]" if self.rows.text else ""
        table = f"{self.table}{rows}"
        value = [*value] if isinstance(value, tuple) else value
        shown = shortened("none" if value is None else str(value))
        return _(
            "set {place} to {value}", place=f"{table}.{self.field}" if table else self.field, value=shown
        )

    @property
    def target(self) -> tuple[str, RowChoice, str]:
        """The table, the rows and the field that are set."""
        return self.table, self.rows, self.field

    def apply(self, draft: Draft) -> None:
        """Write the value into the field of every row.

        Raises `EditError` if the field cannot hold it, or if nothing could be read after it.
        """
        name, element = values.field_path(self.field)
        # What ``inspect`` prints in a table of its own may be stored in another one.
        table, name = stored_place(draft.kind.id, self.table, name)
        rows = self.rows.rows(draft, table)
        if not rows and self.rows.text.strip() not in ("", ONLY):  # of a record without rows
            words = "no row of {table} is chosen by {rows}"
            draft.notes.append(_(words, table=table, rows=self.rows.text))
        composite = setter_of(draft, table, name)
        try:
            if composite is not None:
                composite(draft, rows, self.value, element)
                return
            name = STORED.get((table, name), name)
            found = ordered(_splices(draft.part(table), rows, name, element, self.value))
            draft.splice_readable(exact(found))
        except FormatError as error:
            if error.table:
                raise
            row = rows[0] if rows and error.index is None else error.index
            raise EditError(error.message, table=self.table, index=row, field=self.field) from None


def _splices(
    part: Part, rows: Sequence[int], name: str, element: tuple[int, ...], value: Any
) -> Iterator[Splice]:
    """Splices that set a value in rows of a part, or in the part itself."""
    if not part.is_list:
        yield from _in_records(part, rows if part.is_table else [0], name, element, value)
        return
    for row in rows:
        with refused_at("", row):
            yield from _in_records(part.children[row], [0], name, element, value)


def _in_records(
    part: Part, rows: Sequence[int], name: str, element: tuple[int, ...], value: Any
) -> Iterator[Splice]:
    """Splices that set a value in rows of a table, or in row 0 of a single record."""
    part, record, field, bits = _declared(part, name)
    # The header of a material of version 2 stores 6 of 14 bytes.
    if field.offset + field.size > part.size and not part.is_table:
        raise EditError(_("is not stored in this version of the file"))
    all_rows = np.atleast_1d(np.asarray(part.rows))
    chosen = np.asarray(rows, np.int64)
    before = all_rows[field.name][chosen]
    if bits is None:
        after = values.stored(field, value, before, element)
    else:
        values.refuse_element(name, element)
        after = values.stored_bits(bits, value, before, field.count)
    if part.transform is not None or len(chosen) > MANY:
        # A table with many changed rows, or one stored in another form, such as encrypted
        changed = all_rows.copy()
        changed[field.name][chosen] = after
        yield Splice(part.start, bytes(part.stored), bytes(replace(part, rows=changed).stored))
        return
    old, new = _raw(before), _raw(after)
    for index in np.flatnonzero((old != new).any(axis=1)).tolist():
        start = part.start + int(chosen[index]) * record.size + field.offset
        yield Splice(start, old[index].tobytes(), new[index].tobytes())


def _declared(part: Part, name: str) -> tuple[Part, Record, Field, Bits | None]:
    """The part with a field, which may be a record in it, its record, the field, and the bits of that name.

    Raises `EditError` if there is no such field.
    """
    if part.record is None:
        part = _record_in(part, name)
    if part.record is None:
        parts = ", ".join(child.name for child in part.children)
        if parts and not part.is_list:
            raise EditError(_("has no field {name}; its parts are {parts}", name=name, parts=parts))
        raise EditError(_("has no fields: nothing is known of its bytes"))
    for field in part.record.fields:
        if field.name == name:
            return part, part.record, field, None
    for field in part.record.fields:
        for bits in field.bits:
            if bits.name == name:
                return part, part.record, field, bits
    names = ", ".join(field.name for field in part.record.fields)
    raise EditError(_("has no field {name}; it has {names}", name=name, names=names))


def _record_in(part: Part, name: str) -> Part:
    """The record in a part whose fields ``inspect`` shows as those of the part; itself without one."""
    records = {
        child.name: child for child in part.children if child.record is not None and not child.is_table
    }
    if HEADER in records:
        return records[HEADER]

    def has(record: Record) -> bool:
        return any(name in (it.name, *(bits.name for bits in it.bits)) for it in record.fields)

    return next((it for it in records.values() if it.record is not None and has(it.record)), part)


def _raw(column: Any) -> Any:
    """The bytes of a column, (n, size) uint8."""
    return np.frombuffer(column.tobytes(), np.uint8).reshape(len(column), -1 if len(column) else 0)
