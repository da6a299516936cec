"""Parts of resources as JSON: the members of objects, and the values of fields column by column.

Numbers give back the same bits. Texts come in pieces, as a resource may be larger than memory allows twice.

Source: spec/msh.md 13.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.formats.layout.layout import Layout, Member
from viewer.formats.layout.lists import CountedText, Listing, Nested, Tagged, TextLine
from viewer.formats.layout.members import Array, RawBytes, Single
from viewer.formats.part import Part, RecordParts
from viewer.formats.record import DECIMAL, Bytes, Field, Record, Rows
from viewer.formats.record import Rows as RecordRows
from viewer.formats.text import decode, until_nul
from viewer.model.kinds.json_text import ROWS_AT_ONCE, brackets, filled, float_texts

KIND: Final = "kind"
LENGTH_SIZE: Final = 4
"""Bytes of the length before a text."""
_STEP: Final = " "
LINE: Final = 32
"""Bytes in a line of hexadecimal digits."""
LINES_AT_ONCE: Final = 256
"""Lines of hexadecimal digits that are one piece of the text."""
TEXT: Final = "text"
AFTER: Final = "after"
"""Members of a text in a field with other bytes than NULs after its NUL."""
_CONTROL: Final = re.compile("[\x7f-\x9f\u2028\u2029]")
# Only what a number gives back byte by byte: 007, +1 and -0 stay texts.
_DECIMAL: Final = re.compile(rb"-?[1-9]\d*|0")


class JsonMember(Struct, frozen=True):
    """A member of an object: its name, and what yields its text, for the white space of its line."""

    name: str
    texts: Callable[[str], Iterable[str]]


def fixed(name: str, text: str) -> JsonMember:
    """A member whose text is known."""
    return JsonMember(name, lambda _: (text,))


def block(name: str, data: Bytes) -> JsonMember:
    """A member that is bytes."""
    return JsonMember(name, lambda indent: hexadecimal(data, indent))


def write_object(indent: str, head: str, found: Iterable[JsonMember]) -> Iterator[str]:
    """An object with a member a line; those in `head`, if it is not empty, are in the first."""
    inner = indent + _STEP
    between = "," if head else ""
    yield "{" + head
    for member in found:
        yield f'{between}\n{inner}"{member.name}": '
        yield from member.texts(inner)
        between = ","
    yield f"\n{indent}}}"


def write_list(indent: str, texts: Iterable[Iterable[str]]) -> Iterator[str]:
    """A list with an element a line, each of which comes in pieces."""
    # An empty list is one line, so the bracket is held back until there is an element.
    before = "[\n"
    for pieces in texts:
        yield before + indent + _STEP
        yield from pieces
        before = ",\n"
    yield "[]" if before == "[\n" else f"\n{indent}]"


def write_lines(indent: str, groups: Iterable[Iterable[str]]) -> Iterator[str]:
    """A list with an element a line, each of which is one text; those of a group are joined."""
    between = f",\n{indent}{_STEP}"
    before = f"[\n{indent}{_STEP}"
    for texts in groups:
        yield before + between.join(texts)
        before = between
    yield f"\n{indent}]" if before == between else "[]"


def part_members(layout: Layout[Any], parts: Sequence[Part]) -> Iterator[JsonMember]:
    """The members of parts, which are in the order of their layout; some may be absent."""
    counts = {part.name: part.count for part in parts}
    for part in parts:
        attribute, member = layout.by_part[part.name]
        yield JsonMember(part.name, partial(_part_texts, member, part, counts, layout.counts[attribute]))


def _part_texts(
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
            yield _text(member, part)
        case RawBytes() if member.is_text:
            yield from text_lines(bytes(part.stored), indent)
        case Nested() if part.children:
            yield from write_object(indent, "", part_members(member.layout, part.children))
        case Tagged() if isinstance(part.children, RecordParts):
            yield from write_lines(indent, ([it] for it in _tagged(part.children)))
        case Listing():
            rows = (_part_texts(member.row, row, {}, {}, indent + _STEP) for row in part.children)
            yield from write_list(indent, rows)
        case _:
            yield from hexadecimal(part.stored, indent)


def _one(stated: Mapping[str, tuple[str, int]], part: Part, counts: Mapping[str, int]) -> str:
    """A record, without the numbers of rows that are true, and without what is not stored of it."""
    record, rows = records_of(part)
    left_out = {
        name
        for name, (table, added) in stated.items()
        # A damaged file may state another number than there are rows: that one is written, so that it comes
        # back.
        if rows[name].tolist() == [counts.get(table, 0) + added]
    }
    # The last record of a damaged file may be cut, and old versions of a material have shorter headers.
    left_out |= {it.name for it in record.fields if it.offset + it.size > part.size}
    return next(iter(objects(record, rows, left_out)))


def records_of(part: Part) -> tuple[Record, RecordRows]:
    """The record of a part, and its rows, (n,)."""
    if part.record is None or part.rows is None:
        raise TypeError(part.name)
    return part.record, np.atleast_1d(np.asarray(part.rows))


def _rows(part: Part, indent: str) -> Iterator[str]:
    """The rows of a table, some at a time; of a single field its values."""
    record, rows = records_of(part)
    starts = range(0, len(rows), ROWS_AT_ONCE)
    some = (rows[start : start + ROWS_AT_ONCE] for start in starts)
    # Rows of one field are a list of values without its name: vertices, indices, words of the frame map.
    if len(record.fields) == 1:
        return write_lines(indent, (plain_values(record.fields[0], it) for it in some))
    return write_lines(indent, (objects(record, it) for it in some))


def _line(line: TextLine, part: Part, counts: Mapping[str, int]) -> str:
    """A record of texts, without those that are usual."""
    record, rows = records_of(part)
    raw = {it.name: rows[it.name].tobytes() for it in record.fields}
    found: list[str] = []
    for declared in line.fields:
        text = raw.get(declared.name, b"")
        if text == usual_text(line, declared.name, counts):
            continue
        found.append(f'"{declared.name}": {whole_text(declared, text)}')
    return "{" + ", ".join(found) + "}"


def usual_text(line: TextLine, field: str, counts: Mapping[str, int]) -> bytes | None:
    """The text of a field that is left out; None if it may not be left out."""
    if line.counted is not None and line.counted[0] == field:
        return b"%d" % counts.get(line.counted[1], 0)
    return line.usual.get(field)


def _text(member: CountedText, part: Part) -> str:
    """A text, and what follows it if that is not the NUL that should."""
    _, rows = records_of(part)
    raw = rows.tobytes()[LENGTH_SIZE:]
    if not member.has_end:
        return quoted(decode(raw))
    text = quoted(decode(raw[:-1]))
    return text if not raw or not raw[-1] else f'{{"text": {text}, "end": {raw[-1]}}}'


def _tagged(parts: RecordParts) -> Iterator[str]:
    """Records of several kinds in their order, each with its kind."""
    texts = [
        iter(objects(it.record, it.rows, head=f'"{KIND}": {quoted(it.record.name)}'))
        if len(it.rows)
        else iter(())
        for it in parts.groups
    ]
    # Records of a kind are written together, column by column, and dealt out in the order of the file.
    return (next(texts[kind]) for kind in parts.kinds.tolist())


def quoted(text: str) -> str:
    """A text as JSON; characters that terminals obey are escaped."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def hexadecimal(data: Bytes, indent: str) -> Iterable[str]:
    """Bytes as one text of hexadecimal digits, or as a list of several if there are many."""
    view = memoryview(data).cast("B")
    if len(view) <= LINE:
        return (f'"{view.hex()}"',)
    step = LINE * LINES_AT_ONCE
    # A separator after each LINE bytes; negative counts from the first byte.
    groups = (view[start : start + step].hex("\n", -LINE).split("\n") for start in range(0, len(view), step))
    return write_lines(indent, (map('"{}"'.format, it) for it in groups))


def text_lines(data: bytes, indent: str) -> Iterable[str]:
    """The lines of a text as a list, or one line as itself."""
    lines = data.splitlines(keepends=True) if b"\r" not in data.replace(b"\r\n", b"") else [data]
    texts = (quoted(decode(line)) for line in lines)
    return texts if len(lines) == 1 else write_lines(indent, ([it] for it in texts))


def objects(record: Record, rows: Rows, without: Collection[str] = (), head: str = "") -> Iterable[str]:
    """Records, (n,), as objects; some fields may be left out, and `head` comes first."""
    forms: list[str] = [head] if head else []
    columns: list[Sequence[str]] = []
    for declared in record.fields:
        if declared.name not in without:
            form, texts = _cells(declared, rows)
            forms.append(f'"{declared.name}": {form}')
            columns += texts
    return filled("{" + ", ".join(forms) + "}", columns, len(rows))


def plain_values(declared: Field, rows: Rows) -> Iterable[str]:
    """The values of one field of records, (n,)."""
    form, texts = _cells(declared, rows)
    return filled(form, texts, len(rows))


def _cells(declared: Field, rows: Rows) -> tuple[str, list[Sequence[str]]]:
    """The template of a value, and for each of its elements a text per row."""
    values = rows[declared.name]
    if values.dtype.kind in "SV":
        return "%s", [_texts(declared, values)]
    shape = values.shape[1:]
    flat = values.reshape(-1)
    texts = _floats(flat) if values.dtype.kind == "f" else [*map(str, flat.tolist())]
    if declared.none is not None:
        for index in np.flatnonzero(flat == declared.none).tolist():
            texts[index] = "null"
    width = declared.count
    return brackets(shape), [texts[index::width] for index in range(width)]


def _floats(flat: npt.NDArray[np.floating[Any]]) -> list[str]:
    """Numbers as decimals, or as hexadecimal words if decimals do not give their bits back."""
    texts = float_texts(flat)
    # "nan" and "inf" are in quotes.
    back = np.array([float(text.strip('"')) for text in texts], np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        # As a reader does it: the decimal as a double, then rounded to a single.
        single = back.astype("<f4")
    bits = np.ascontiguousarray(flat).view("<u4")
    for index in np.flatnonzero(single.view("<u4") != bits).tolist():
        # NaNs with a payload, and what a decimal does not give back.
        texts[index] = f'"0x{bits[index]:08x}"'
    return texts


def _texts(declared: Field, values: npt.NDArray[Any]) -> list[str]:
    """Texts, or hexadecimal digits; equal ones are made once."""
    size = values.dtype.itemsize
    data = values.tobytes()
    made: dict[bytes, str] = {}
    write: Callable[[bytes], str] = padded_text if declared.is_text else lambda raw: f'"{raw.hex()}"'
    found: list[str] = []
    for start in range(0, len(data), size):
        raw = data[start : start + size]
        text = made.get(raw)
        if text is None:
            text = made[raw] = write(raw)
        found.append(text)
    return found


def padded_text(raw: bytes) -> str:
    """A text up to its NUL, and the bytes after it if there are any."""
    text = until_nul(raw)
    after = raw[len(text) + 1 :].rstrip(b"\0")
    if not after:
        return quoted(decode(text))
    return f'{{"{TEXT}": {quoted(decode(text))}, "{AFTER}": "{after.hex()}"}}'


def whole_text(declared: Field, raw: bytes) -> str:
    """The text of a field that is as wide as its text: all of it; digits as a number."""
    if declared.encoding == DECIMAL and _DECIMAL.fullmatch(raw):
        return raw.decode()
    return quoted(decode(raw))
