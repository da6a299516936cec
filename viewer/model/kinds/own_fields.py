"""Fields as a user understands them: names, types and meanings of an overlay file, a text that can be shared.

They stand beside the declarations, are always shown as the user's, and change neither the names in places and
scripts nor any byte. Those in use are known to the whole process, as the language is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from math import isfinite
from typing import Annotated, Any, Final, Self

import numpy as np
from msgspec import Struct

from viewer import typed_json
from viewer.errors import FormatError, suggestion
from viewer.formats.layout.layout import Layout
from viewer.formats.layout.lists import Nested, Tagged
from viewer.formats.record import Field, Record
from viewer.model.kinds.explained import set_own
from viewer.model.kinds.own_field import LINE, OwnField
from viewer.model.kinds.registry import KINDS, MODEL
from viewer.translation import _

SCHEMA: Final = "mshview-overlay-1"
FIELDS: Final = "fields"
"""The list of fields in the file, and in errors."""
_WHOLE: Final = re.compile("-?[0-9]{1,20}")
"""A whole number of at most 64 bits, which have 20 digits."""


class OwnFields(Struct, frozen=True):
    """The content of an overlay file."""

    fields: tuple[OwnField, ...]
    author: Annotated[str, LINE] = ""

    @classmethod
    def parse(cls, text: bytes | memoryview) -> Self:
        """Read a file; raises `FormatError` with the location of the first wrong value."""
        form = typed_json.document(bytes(text))
        if form.pop("schema", None) != SCHEMA:
            raise FormatError(_("is not an overlay of {schema}", schema=SCHEMA), field="schema")
        found = typed_json.made(cls, form, is_strict=True)
        seen: dict[tuple[str, ...], int] = {}
        for row, it in enumerate(found.fields):
            _check_numbers(it, row, _declared(it, row))
            for member, name in (("field", it.field), ("name", it.name)):
                before = seen.setdefault((member, it.format, it.table, name), row)
                if before != row:
                    raise _wrong(member, row, _("{name} is in row {row} too", name=name, row=before))
        return found

    def of(self, kind: str, table: str) -> list[OwnField]:
        """The user's fields of a table of a format."""
        return [it for it in self.fields if (it.format, it.table) == (kind, table)]


def _wrong(member: str, row: int, message: str) -> FormatError:
    return FormatError(message, table=FIELDS, index=row, field=member)


def _declared(it: OwnField, row: int) -> Field:
    """The declared field that is meant; raises `FormatError`."""
    kinds = [known.id for known in KINDS if known.is_known]
    if it.format not in kinds:
        raise _wrong("format", row, _unknown(it.format, kinds))
    records = records_of(it.format)
    if it.table not in records:
        raise _wrong("table", row, _unknown(it.table, records))
    known = {declared.name: declared for declared in records[it.table].fields}
    if it.field not in known:
        raise _wrong("field", row, _unknown(it.field, known))
    if it.name in known:
        raise _wrong("name", row, _("{name} is a declared field of that table", name=it.name))
    declared = known[it.field]
    size = it.size
    if size not in (None, declared.size):
        message = _(
            "{type} has {size} bytes, the field has {field}", type=it.type, size=size, field=declared.size
        )
        raise _wrong("type", row, message)
    return declared


def _check_numbers(it: OwnField, row: int, declared: Field) -> None:
    """Raise `FormatError` for limits and values that no stored number can fulfill or be."""
    for member, limit in (("least", it.least), ("most", it.most)):
        if limit is not None and not isfinite(limit):
            raise _wrong(member, row, _("{value} is not finite", value=limit))
    if it.least is not None and it.most is not None and it.least > it.most:
        words = _("{most:g} is less than the least value, {least:g}", most=it.most, least=it.least)
        raise _wrong("most", row, words)
    stored = it.scalar or np.dtype(declared.dtype)
    seen: dict[int, str] = {}
    for value in it.values:
        if not _WHOLE.fullmatch(value):
            raise _wrong("values", row, _("{value!r} is not a whole number", value=value))
        number = int(value)
        if number in seen:
            words = _("{value!r} and {other!r} are the same number", value=value, other=seen[number])
            raise _wrong("values", row, words)
        seen[number] = value
        if stored.kind in "ui" and not np.iinfo(stored).min <= number <= np.iinfo(stored).max:
            raise _wrong(
                "values",
                row,
                _("{value} does not fit {type}", value=value, type=it.type or declared.type_name),
            )


def _unknown(name: str, known: Iterable[str]) -> str:
    return _("{name!r} is not known{hint}", name=name, hint=suggestion(name, known))


@cache
def records_of(kind: str) -> Mapping[str, Record]:
    """The records of a format by the names of their tables."""
    if kind == MODEL.id:
        from viewer.formats.msh.tables import TABLES  # noqa: PLC0415 no other format needs all tables

        found = {it.name: it.record for it in TABLES.values() if it.record is not None}
        headers = {it.header.name: it.header for it in TABLES.values() if it.header is not None}
        return {**headers, **found}
    module = vars(import_module(next(it.module for it in KINDS if it.id == kind)))
    if "LAYOUT" in module:
        return dict(_in_layout(module["LAYOUT"], ""))
    return {it.name: it for it in module.values() if isinstance(it, Record)}


def _in_layout(layout: Layout[Any], prefix: str) -> Iterator[tuple[str, Record]]:
    """The records of a layout by their paths: ``blocks.keys`` is the table in each row of ``blocks``."""
    for member in layout.members.values():
        row, record = getattr(member, "row", member), getattr(member, "record", None)
        if isinstance(row, Nested):
            yield from _in_layout(row.layout, f"{prefix}{member.name}.")
        elif isinstance(member, Tagged):
            yield from ((it.name, it) for it in member.kinds.values())
        elif isinstance(record, Record):
            yield f"{prefix}{member.name}", record


_USED: Final[list[OwnFields]] = []
"""The overlay in use, if there is one."""


def use(found: OwnFields | None) -> None:
    """Show these fields from now on; None for none."""
    fields = () if found is None else found.fields
    set_own([(_declared(it, row), it) for row, it in enumerate(fields)])
    _USED[:] = [] if found is None else [found]


def used() -> OwnFields | None:
    """The overlay in use; None for none."""
    return _USED[0] if _USED else None
