"""The tables, attributes and fields of records in the extras of a file, each number within its limits.

Source: viewer.model.convert.gltf.extras; spec/msh.md 1.
"""

from __future__ import annotations

from base64 import b64decode
from contextlib import suppress
from struct import error as PackError  # noqa: N812 it is a class
from struct import pack, unpack
from typing import Any, Final

import numpy as np

from viewer.formats.record import Field, Record
from viewer.model.convert.gltf.extras import ExtrasReader, number_of
from viewer.model.convert.scene import NO_FIELDS, Fields
from viewer.model.edit.values import check_number, in_field

ATTRIBUTES: Final = ("attr1", "attr2", "attr3")
MOST_WORD: Final = 0xFFFFFFFF
"""The largest type or attribute of a table."""
PACKED: Final = dict(
    zip(("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"), "bBhHiIqQfd", strict=True)
)
"""The letters of `struct` for numbers as `numpy` names them."""


def tables_of(own: ExtrasReader) -> dict[int, bytes]:
    """The payloads of tables; raises `FormatError` for a type that is not one."""
    said = own.part("tables")
    found = {}
    for key, text in said.values.items():
        if key.isdecimal() and isinstance(text, str):
            with suppress(ValueError):  # `binascii.Error` is one
                found[_type_of(said, key)] = b64decode(text, validate=True)
    return found


def _type_of(said: ExtrasReader, key: str) -> int:
    """The type of a table that is the name of a member."""
    return ExtrasReader({key: key[:20]}, said.path).limited(key, 0, MOST_WORD) or 0


def attributes_of(own: ExtrasReader) -> dict[int, tuple[int, int, int]]:
    """attr1 to attr3 of the tables; raises `FormatError` for a number that is no attribute."""
    said = own.part("attributes")
    found = {}
    for key, values in said.values.items():
        if key.isdecimal() and isinstance(values, list) and len(values) == len(ATTRIBUTES):
            named = ExtrasReader(dict(zip(ATTRIBUTES, values, strict=True)), f"{said.path}.{key[:20]}")
            numbers = [named.limited(name, 0, MOST_WORD) for name in ATTRIBUTES]
            first, second, third = (0 if it is None else it for it in numbers)
            if None not in numbers:
                found[_type_of(said, key)] = (first, second, third)
    return found


def fields_of(record: Record, said: ExtrasReader) -> Fields:
    """The fields of a record as they are stored; those that are absent or of another kind are left out.

    Raises `FormatError` for a number that a field cannot hold.
    """
    return columns_of(record, said, 1)[0] if said else NO_FIELDS


def columns_of(record: Record, said: ExtrasReader, count: int) -> list[Fields]:
    """The fields of several rows from lists with an element, or several, for each."""
    rows: list[dict[str, Any]] = [{} for _ in range(count)]
    for field in record.fields:
        value = said.values.get(field.name)
        stored = None if value is None else _stored(field, value, count, said)
        if stored is not None:
            for row, one in zip(rows, stored, strict=True):
                row[field.name] = one
    return list(rows)


def _stored(field: Field, value: Any, count: int, said: ExtrasReader) -> list[Any] | None:
    """Values of a field of some rows; None if they are of another kind.

    Raises `FormatError` for a number that the field cannot hold.
    """
    base, values = np.dtype(field.dtype), value if isinstance(value, list) else [value]
    try:
        if base.kind in "SV":
            # Bytes of one row are a text; a list of them belongs to as many rows.
            raw = [bytes.fromhex(it) for it in values]
            return raw if len(raw) == count and not field.shape else None
        numbers = [_plain(base, it) for it in values]
    except (ValueError, TypeError, OverflowError):
        return None
    if len(numbers) != count * field.count:
        return None
    try:
        # A third of the time of an array, which a file needs thousands of times for a number or two.
        # Packed and unpacked once: that checks the range, and rounds floats to those that are stored.
        layout = f"<{len(numbers)}{PACKED[base.str[1:]]}"
        found: list[Any] = [*unpack(layout, pack(layout, *numbers))]
    except (OverflowError, PackError):
        # One of them is too large: the first of them is named.
        for at, number in enumerate(numbers):
            with in_field(said.path, at // field.count if count > 1 else None, field.name):
                check_number(field, number)
        return None
    return np.array(found, base).reshape(count, *field.shape).tolist() if field.shape else found


def _plain(base: np.dtype[Any], value: Any) -> Any:
    """A number of JSON, or what stands for one."""
    if type(value) is int and base.kind != "f":
        return value
    if base.kind == "f":
        return float(value)
    found = number_of(value)
    if found is None or int(found) != found:
        message = "not a whole number"
        raise ValueError(message)
    return int(found)
