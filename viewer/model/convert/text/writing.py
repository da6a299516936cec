"""A resource as text: every byte of it, one row of a table a line.

Source: spec/msh.md 13.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from viewer.errors import FormatError
from viewer.formats.archive.nres import Entry
from viewer.formats.archive.rsli import PackedEntry
from viewer.formats.layout.layout import Layout, Member
from viewer.formats.layout.lists import CountedText, Listing, Nested, Tagged, TextLine
from viewer.formats.layout.members import Array, RawBytes, Single
from viewer.formats.part import Part, RecordParts
from viewer.formats.record import Bytes, Record
from viewer.formats.record import Rows as RecordRows
from viewer.formats.text import decode, is_text
from viewer.model.convert.text import values
from viewer.model.kinds.json_text import ROWS_AT_ONCE
from viewer.model.kinds.kind import Kind

FORMAT: Final = "mshview-resource"
VERSION: Final = 1
KIND: Final = "kind"
BYTES: Final = "bytes"
TEXT: Final = "text"
ENTRY: Final = "entry"
MOST_NESTED: Final = 8
"""Archives inside each other that are taken apart; the payloads of deeper ones are bytes."""
LENGTH_SIZE: Final = 4
"""Bytes of the length before a label."""
_STEP: Final = " "


@dataclass(frozen=True, slots=True)
class JsonMember:
    """A member of an object: its name, and what yields its text, for the white space of its line."""

    name: str
    texts: Callable[[str], Iterable[str]]


def text_of(kind: Kind, data: Bytes, entry: Entry | PackedEntry | None = None) -> Iterator[str]:
    """Yield the text of a resource piece by piece.

    Parameters
    ----------
    kind
        What the bytes are read as; what cannot be read as that is hexadecimal.
    data
        Its bytes.
    entry
        What the directory of its archive says of it.
    """
    from viewer.model.convert.text import archives  # noqa: PLC0415 archives write their payloads by this module

    view = memoryview(data).cast("B")
    head = [fixed("format", values.quoted(FORMAT)), fixed("version", str(VERSION))]
    if isinstance(entry, Entry):
        head.append(fixed(ENTRY, archives.described(entry, len(view))))
    stated = entry if isinstance(entry, Entry) else None
    yield from write_object("", "", [*head, *members(kind, view, stated, MOST_NESTED)])
    yield "\n"


def fixed(name: str, text: str) -> JsonMember:
    """Return a member whose text is known."""
    return JsonMember(name, lambda _: (text,))


def members(kind: Kind, data: memoryview, entry: Entry | None, depth: int) -> list[JsonMember]:
    """Return the members of the object of a resource: its kind and its parts, or its bytes."""
    from viewer.model.convert.text import archives  # noqa: PLC0415 as above

    head = fixed(KIND, values.quoted(kind.id))
    try:
        if kind.id in archives.CONTAINERS and depth:
            return [head, *archives.members(data, depth - 1)]
        layout = kind.layout(entry)
        if layout is not None:
            return [head, *_parts(layout, kind.parts(kind.decode(data, entry)).children)]
    except FormatError:
        pass
    if is_text(data):
        return [head, JsonMember(TEXT, lambda indent: values.text_lines(bytes(data), indent))]
    return [head, block(BYTES, data)]


def block(name: str, data: Bytes) -> JsonMember:
    """Return a member that is bytes."""
    return JsonMember(name, lambda indent: values.hexadecimal(data, indent))


def write_object(indent: str, head: str, found: Iterable[JsonMember]) -> Iterator[str]:
    """Yield an object with a member a line; those in `head`, if it is not empty, are in the first."""
    inner = indent + _STEP
    between = "," if head else ""
    yield "{" + head
    for member in found:
        yield f'{between}\n{inner}"{member.name}": '
        yield from member.texts(inner)
        between = ","
    yield f"\n{indent}}}"


def write_list(indent: str, texts: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield a list with an element a line, each of which comes in pieces."""
    before = "[\n"
    for pieces in texts:
        yield before + indent + _STEP
        yield from pieces
        before = ",\n"
    yield "[]" if before == "[\n" else f"\n{indent}]"


def write_lines(indent: str, texts: Iterable[str]) -> Iterator[str]:
    """Yield a list with an element a line, each of which is one text."""
    between = f",\n{indent}{_STEP}"
    joined = between.join(texts)
    yield f"[\n{indent}{_STEP}{joined}\n{indent}]" if joined else "[]"


def _parts(layout: Layout[Any], parts: Sequence[Part]) -> Iterator[JsonMember]:
    """The members of parts, which are in the order of their layout; some may be absent."""
    counts = {part.name: part.count for part in parts}
    for part in parts:
        attribute, member = layout.by_part[part.name]
        yield JsonMember(part.name, partial(_texts, member, part, counts, layout.counts[attribute]))


def _texts(
    member: Member, part: Part, counts: Mapping[str, int], stated: Mapping[str, tuple[str, int]], indent: str
) -> Iterator[str]:
    """The text of a part; `counts` are the rows of those next to it, `stated` the fields that hold them."""
    match member:
        case Single():
            yield _one(stated, part, counts)
        case Array():
            yield from _rows(part, indent)
        case TextLine():
            yield _line(member, part, counts)
        case CountedText():
            yield _text(part)
        case RawBytes() if member.is_text:
            yield from values.text_lines(bytes(part.stored), indent)
        case Nested() if part.children:
            yield from write_object(indent, "", _parts(member.layout, part.children))
        case Tagged() if isinstance(part.children, RecordParts):
            yield from write_lines(indent, _tagged(part.children))
        case Listing():
            rows = (_texts(member.row, row, {}, {}, indent + _STEP) for row in part.children)
            yield from write_list(indent, rows)
        case _:
            yield from values.hexadecimal(part.stored, indent)


def _one(stated: Mapping[str, tuple[str, int]], part: Part, counts: Mapping[str, int]) -> str:
    """A record, without the numbers of rows that are true, and without what is not stored of it."""
    record, rows = records_of(part)
    left_out = {
        name
        for name, (table, added) in stated.items()
        if rows[name].tolist() == [counts.get(table, 0) + added]
    }
    left_out |= {it.name for it in record.fields if it.offset + it.size > part.size}
    return next(iter(values.objects(record, rows, left_out)))


def records_of(part: Part) -> tuple[Record, RecordRows]:
    """Return the record of a part, and its rows, (n,)."""
    if part.record is None or part.rows is None:
        raise TypeError(part.name)
    return part.record, np.atleast_1d(np.asarray(part.rows))


def _rows(part: Part, indent: str) -> Iterator[str]:
    """The rows of a table, some at a time."""
    record, rows = records_of(part)
    single = record.fields[0] if len(record.fields) == 1 else None
    between = f",\n{indent}{_STEP}"
    before = f"[\n{indent}{_STEP}"
    for start in range(0, len(rows), ROWS_AT_ONCE):
        some = rows[start : start + ROWS_AT_ONCE]
        texts = values.objects(record, some) if single is None else values.plain_values(single, some)
        yield before + between.join(texts)
        before = between
    yield f"\n{indent}]" if len(rows) else "[]"


def _line(line: TextLine, part: Part, counts: Mapping[str, int]) -> str:
    """A record of texts, without those that are usual."""
    record, rows = records_of(part)
    raw = {it.name: rows[it.name].tobytes() for it in record.fields}
    found: list[str] = []
    for declared in line.fields:
        text = raw.get(declared.name, b"")
        if text == usual_text(line, declared.name, counts):
            continue
        found.append(f'"{declared.name}": {values.whole_text(declared, text)}')
    return "{" + ", ".join(found) + "}"


def usual_text(line: TextLine, field: str, counts: Mapping[str, int]) -> bytes | None:
    """Return what the text of a field is if it is left out; None if it may not be."""
    if line.counted is not None and line.counted[0] == field:
        return b"%d" % counts.get(line.counted[1], 0)
    return line.usual.get(field)


def _text(part: Part) -> str:
    """A text, and what follows it if that is not a NUL."""
    _, rows = records_of(part)
    raw = rows.tobytes()[LENGTH_SIZE:]
    text = values.quoted(decode(raw[:-1]))
    return text if not raw or not raw[-1] else f'{{"text": {text}, "end": {raw[-1]}}}'


def _tagged(parts: RecordParts) -> Iterator[str]:
    """Records of several kinds in their order, each with its kind."""
    texts = [
        iter(values.objects(it.record, it.rows, head=f'"{KIND}": {values.quoted(it.record.name)}'))
        if len(it.rows)
        else iter(())
        for it in parts.groups
    ]
    return (next(texts[kind]) for kind in parts.kinds.tolist())
