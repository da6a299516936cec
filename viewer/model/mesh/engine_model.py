"""The structure of 0xA4 bytes that the engine fills when it loads a model: pointers into its tables.

Nothing of it is in the file: it is what the tables of the file become in memory.

Source: seed 000 section 4 (the loader's order, derived pointers, attributes kept).
Status: proven, except for the bytes that the seed does not mention.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from viewer.formats.msh import tables
from viewer.formats.msh.slots import HEADER
from viewer.formats.record import Status
from viewer.model.mesh.model import Model, Variant
from viewer.translation import _

SIZE: Final = 0xA4
"""Bytes of the structure."""


class EngineField(Struct, frozen=True):
    """A field of the structure, as this model fills it.

    Attributes
    ----------
    offset, size
        Its bytes in the structure.
    name
        What is in it, by the names of the tables.
    type_id, table
        The resource type and the table that a pointer leads into; 0 and empty for other fields.
    at
        Offset in the payload of the model that a pointer leads to; None for other fields and null pointers.
    value
        A number that is not a pointer: a stride, an attribute, 0 of a null pointer; None if unknown.
    count, stride
        Rows from `at` on, and bytes from one to the next, of a table of records.
    status
        How certain the meaning is.
    doc
        What the loader does.
    """

    offset: int
    size: int
    name: str
    doc: str
    type_id: int = 0
    table: str = ""
    at: int | None = None
    value: int | None = None
    count: int | None = None
    stride: int | None = None
    status: Status = Status.PROVEN


_TABLES: Final = {
    0x00: tables.NODES,
    0x04: tables.SLOTS,
    0x0C: tables.POSITIONS,
    0x10: tables.NORMALS,
    0x14: tables.UVS,
    0x18: tables.KEYS,
    0x1C: tables.FRAME_MAP,
    0x20: tables.STRINGS,
    0x24: tables.TRIANGLES,
    0x28: tables.BATCHES,
    0x2C: tables.INDICES,
    0x30: tables.LIGHT_PROBES,
    0x34: tables.STREAM15,
    0x38: tables.STREAM16,
}
"""Offsets at which the loader keeps the start of each table."""
# Eleven pairs of 8 bytes from 0x3C on, of which these are named: the last begins at 0x3C + 10 * 8 = 0x8C
# (spec/msh.md 1).
_STREAMS: Final = (
    (0x3C, tables.POSITIONS, 0),
    (0x44, tables.NORMALS, 0),
    (0x4C, tables.STREAM16, 0),
    (0x54, tables.STREAM16, 4),
    (0x5C, tables.UVS, 0),
    (0x64, tables.STREAM18, 0),
    (0x8C, tables.STREAM15, 0),
)
"""Pairs of a pointer and a stride: offset of the pointer, table, bytes that the pointer is past its start."""

_OPTIONAL: Final = frozenset({tables.STREAM15, tables.STREAM16, tables.STREAM18, tables.LIGHT_PROBES})
"""Tables without which the loader sets their pointers to 0."""


def engine_fields(model: Model) -> tuple[EngineField, ...]:
    """All fields in the order of their offsets, without gaps; none for a terrain, which is not loaded so."""
    if model.variant is Variant.TERRAIN:
        return ()
    found: list[EngineField] = []
    end = 0
    for it in sorted(_fields(model), key=lambda it: it.offset):
        if it.offset > end:
            doc = _("No source mentions these bytes.")
            found.append(EngineField(end, it.offset - end, f"unknown_0x{end:02X}", doc, status=Status.OPEN))
        found.append(it)
        end = it.offset + it.size
    return tuple(found)


def _fields(model: Model) -> Iterator[EngineField]:
    for offset, type_id in _TABLES.items():
        yield _pointer(
            model, offset, type_id, 0, _("The table as it is in the file."), tables.TABLES[type_id].name
        )
    slots = _("The slots of Res2, after its header of 0x8C bytes.")
    # 0x04 points to Res2 with its header, 0x08 behind it.
    yield _pointer(model, 0x08, tables.SLOTS, HEADER.size, slots, "slots_pointer")
    for offset, type_id, shift in _STREAMS:
        # Res16 is two streams of 4 bytes in rows of 8: `a` at 0, `b` at 4.
        name = tables.TABLES[type_id].name + (f"_{'ab'[shift // 4]}" if type_id == tables.STREAM16 else "")
        yield _pointer(model, offset, type_id, shift, _("A stream of the vertices."), f"{name}_pointer")
        yield _stride(model, offset + 4, type_id, f"{name}_stride")
    yield EngineField(0x94, 4, "zero", _("Set to 0; what it is for is unknown."), value=0, status=Status.OPEN)
    for offset, type_id, number, doc in (
        (0x9C, tables.FRAME_MAP, 2, _("attr2 of the entry of Res19: the frame count.")),
        (0xA0, tables.LIGHT_PROBES, 1, _("attr1 of the entry of Res20; 0 without it.")),
    ):
        index = model.archive.find_type(type_id)
        entry = None if index is None else model.archive.entries[index]
        value = (entry.attr1, entry.attr2)[number - 1] if entry else 0 if type_id in _OPTIONAL else None
        name = f"{tables.TABLES[type_id].name}_attr{number}"
        yield EngineField(offset, 4, name, doc, type_id, tables.TABLES[type_id].name, value=value)


def _pointer(model: Model, offset: int, type_id: int, shift: int, doc: str, name: str) -> EngineField:
    """A pointer some bytes past the start of a table."""
    declared, index = tables.TABLES[type_id], model.archive.find_type(type_id)
    if index is None:
        is_null = type_id in _OPTIONAL
        absent = _("0 without the table.") if is_null else _("Without the table no source says what follows.")
        doc = _("{doc} {more}", doc=doc, more=absent)
        return EngineField(offset, 4, name, doc, type_id, declared.name, value=0 if is_null else None)
    count = stride = None
    if type_id == tables.NODES:
        rows = model.legacy_nodes if model.variant is Variant.LEGACY24 else model.nodes
        count, stride = len(rows), rows.dtype.itemsize
    elif declared.record is not None and (type_id != tables.SLOTS or shift):
        count, stride = len(model.rows(type_id)), declared.record.size
    entry = model.archive.entries[index]
    if entry.is_damaged:
        doc = _("{doc} {more}", doc=doc, more=_("It is not inside of the file."))
    at = entry.offset + shift
    return EngineField(offset, 4, name, doc, type_id, declared.name, at, count=count, stride=stride)


def _stride(model: Model, offset: int, type_id: int, name: str) -> EngineField:
    """The stride of a stream, which the loader sets even without the table, but for Res16 and Res18."""
    declared = tables.TABLES[type_id]
    value = None if declared.record is None else declared.record.size
    doc = _("Bytes from one vertex to the next.")
    if model.archive.find_type(type_id) is None and type_id in {tables.STREAM16, tables.STREAM18}:
        is_cleared = type_id == tables.STREAM18
        doc = _("0 without Res18.") if is_cleared else _("Not set without Res16: whatever was in memory.")
        value = 0 if is_cleared else None
    return EngineField(offset, 4, name, doc, type_id, declared.name, value=value)
