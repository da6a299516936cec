"""A resource from its text.

What follows from the rest may be left out, members of an object may come in any order, and rows may be added
and removed. Nothing else is guessed: what is missing, unknown or does not fit is an error with its line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Final

from viewer.formats.archive.nres import Entry
from viewer.formats.layout.layout import Layout, Member
from viewer.formats.layout.lists import CountedText, Listing, Nested, Tagged, TextLine
from viewer.formats.layout.members import Array, RawBytes, Single, Varying
from viewer.formats.record import Bytes, Record
from viewer.model.convert.text import places, records
from viewer.model.convert.text.places import Fault, Path
from viewer.model.convert.text.writing import (
    BYTES,
    ENTRY,
    FORMAT,
    KIND,
    LENGTH_SIZE,
    MOST_NESTED,
    TEXT,
    VERSION,
    usual_text,
)
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import by_id
from viewer.translation import Sentence

_HEAD: Final = ("format", "version", ENTRY)


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource that was read from a text, with what the directory of its archive said of it."""

    kind: Kind
    data: bytes
    entry: Entry | None = None


def bytes_of(text: Bytes, source: str = "") -> bytes:
    """Return the bytes of the resource in a text; raises `FormatError` with line, column and JSON path."""
    return resource_of(text, source).data


def resource_of(text: Bytes, source: str = "") -> Resource:
    """Return the resource in a text; raises `FormatError` with line, column and JSON path."""
    decoded, value = places.parse(text, source)
    try:
        return _resource(value)
    except Fault as fault:
        raise places.located(decoded, fault, source) from None


def _resource(value: Any) -> Resource:
    from viewer.model.convert.text import archive_reading  # noqa: PLC0415 archives read their payloads by this module

    found = records.object_at(value, ())
    for name, expected in (("format", FORMAT), ("version", VERSION)):
        given = records.require(found, name, ())
        if given != expected:
            message = Sentence("{given} is not {expected}", given=places.short(given), expected=expected)
            raise Fault((name,), message)
    entry = archive_reading.entry_of(found[ENTRY], (ENTRY,)) if ENTRY in found else None
    rest = {name: it for name, it in found.items() if name not in _HEAD}
    data = payload_of(rest, (), entry, MOST_NESTED + 1)
    if entry is not None:
        entry = archive_reading.completed(found[ENTRY], (ENTRY,), entry, len(data))
    return Resource(by_id(found[KIND]), data, entry)


def payload_of(
    value: Mapping[str, Any], path: Path, entry: Entry | None, depth: int, others: Sequence[str] = ()
) -> bytes:
    """Return the bytes of the object of a resource; raises `Fault`.

    Parameters
    ----------
    entry
        Its directory entry; of a file None.
    depth
        How many archives may be in each other.
    others
        Members of the object that are not parts.
    """
    from viewer.model.convert.text import archive_reading  # noqa: PLC0415 as above

    kind = records.require(value, KIND, path)
    if not isinstance(kind, str):
        raise records.wrong((*path, KIND), kind, "a text")
    known = (KIND, *others)
    if BYTES in value:
        records.refuse_unknown(value, (BYTES, *known), path)
        return records.hexadecimal(value[BYTES], (*path, BYTES))
    if TEXT in value:
        records.refuse_unknown(value, (TEXT, *known), path)
        return _text(value[TEXT], (*path, TEXT))
    if kind in archive_reading.READERS:
        if not depth:
            raise Fault(path, Sentence("more than {most} archives in each other", most=MOST_NESTED))
        return archive_reading.READERS[kind](value, path, depth - 1, known)
    known_kind = by_id(kind)
    layout = known_kind.layout(entry)
    if layout is None:
        message = Sentence(
            "{kind} has no parts; its {bytes} or its {text} are missing",
            kind=places.short(kind),
            bytes=BYTES,
            text=TEXT,
        )
        raise Fault((*path, KIND), message)
    stated = () if known_kind.is_table else known_kind.stated(entry)
    return b"".join(_parts(layout, value, path, layout.known(stated), known))


def _text(value: Any, path: Path) -> bytes:
    """A text, or the lines of one."""
    if isinstance(value, list):
        return b"".join(records.text_bytes(line, (*path, index)) for index, line in enumerate(value))
    return records.text_bytes(value, path)


def _parts(
    layout: Layout[Any],
    value: Mapping[str, Any],
    path: Path,
    stated: Mapping[str, Any],
    others: Sequence[str] = (),
) -> Iterator[bytes]:
    """The bytes of the parts of an object, in the order of their layout; raises `Fault`."""
    records.refuse_unknown(value, (*layout.by_part, *others), path)
    counts = {name: len(it) for name, it in value.items() if isinstance(it, list)}
    it = SimpleNamespace(**stated)
    for attribute, member in layout.members.items():
        where = (*path, member.name)
        if member.name not in value:
            if not member.is_optional:
                raise Fault(path, Sentence("{name} is missing", name=member.name))
        elif isinstance(member, Single):
            rows = layout.counts[attribute]
            derived = {name: counts.get(table, 0) + added for name, (table, added) in rows.items()}
            size = member.stored_size(it)
            found = records.object_at(value[member.name], where)
            made = records.one(member.record, {**derived, **found}, where, size)
            setattr(it, attribute, member.record.read(made + member.defaults[size:]))
            yield made
        else:
            yield from _part(member, value[member.name], where, it, counts)


def _part(
    member: Member, value: Any, path: Path, it: SimpleNamespace, counts: Mapping[str, int]
) -> Iterator[bytes]:
    """The bytes of a part; `it` has the records before it, `counts` the rows of those next to it."""
    match member:
        case Array():
            rows = records.list_at(value, path)
            yield records.table(_record(member, rows, path, it), rows, path).tobytes()
        case TextLine():
            yield _line(member, value, path, counts)
        case CountedText():
            yield _label(value, path)
        case RawBytes() if member.is_text:
            yield _text(value, path)
        case Nested() if isinstance(value, dict) or not member.is_payload:
            yield from _parts(member.layout, records.object_at(value, path), path, {})
        case Tagged():
            for index, row in enumerate(records.list_at(value, path)):
                yield _tagged(member, row, (*path, index))
        case Listing():
            for index, row in enumerate(records.list_at(value, path)):
                yield from _part(member.row, row, (*path, index), it, {})
        case _:
            yield records.hexadecimal(value, path)


def _record(member: Array, rows: Sequence[Any], path: Path, it: SimpleNamespace) -> Record:
    """The record of a table; raises `Fault` if its rows are not as long as a record before states."""
    record = member.record
    if not isinstance(record, Varying):
        return record
    if not rows:
        return record.make(0)
    last = record.make(1).fields[-1].name
    found = rows[0].get(last) if isinstance(rows[0], dict) else rows[0]
    length = record.length(it)
    if isinstance(found, list) and len(found) != length:
        message = Sentence("{count} values, {expected} are needed", count=len(found), expected=length)
        raise Fault((*path, 0), message)
    return record.make(length if isinstance(found, list) else 0)


def _line(line: TextLine, value: Any, path: Path, counts: Mapping[str, int]) -> bytes:
    """A record of texts, with those that are usual."""
    found = records.object_at(value, path)
    records.refuse_unknown(found, [it.name for it in line.fields], path)
    texts: list[bytes] = []
    for declared in line.fields:
        usual = usual_text(line, declared.name, counts)
        if declared.name in found or usual is None:
            given = records.require(found, declared.name, path)
            texts.append(records.whole_bytes(declared, given, (*path, declared.name)))
        else:
            texts.append(usual)
    return b"".join(texts)


def _label(value: Any, path: Path) -> bytes:
    """A text with its length, and what follows it."""
    end = 0
    if isinstance(value, dict):
        records.refuse_unknown(value, ("text", "end"), path)
        end = records.whole_number(records.require(value, "end", path), 255, (*path, "end"))
        value, path = records.require(value, "text", path), (*path, "text")
    raw = records.text_bytes(value, path)
    return len(raw).to_bytes(LENGTH_SIZE, "little") + (raw + bytes([end]) if raw else b"")


def _tagged(member: Tagged, value: Any, path: Path) -> bytes:
    """A record of the kind that is named in it."""
    found = dict(records.object_at(value, path))
    kind = records.require(found, KIND, path)
    chosen = next((it for it in member.kinds.values() if it.name == kind), None)
    if chosen is None:
        known = ", ".join(it.name for it in member.kinds.values())
        message = Sentence("{kind} is not one of {known}", kind=places.short(kind), known=known)
        raise Fault((*path, KIND), message)
    del found[KIND]
    return records.one(chosen, found, path)
