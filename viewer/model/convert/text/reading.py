"""A resource from its text.

What follows from the rest may be left out, members of an object may come in any order, and rows may be added
and removed. Nothing else is guessed: what is missing, unknown or does not fit is an error with its line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from viewer.formats.archive.nres import Entry
from viewer.formats.record import Bytes
from viewer.model.convert.text import places, records
from viewer.model.convert.text.forms import (
    Block,
    Form,
    Group,
    Labels,
    Line,
    Listing,
    One,
    Rows,
    forms_of,
)
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
    forms = forms_of(kind)
    if forms is None:
        message = Sentence(
            "{kind} has no parts; its {bytes} or its {text} are missing",
            kind=places.short(kind),
            bytes=BYTES,
            text=TEXT,
        )
        raise Fault((*path, KIND), message)
    return b"".join(_parts(forms, value, path, entry, known))


def _text(value: Any, path: Path) -> bytes:
    """A text, or the lines of one."""
    if isinstance(value, list):
        return b"".join(records.text_bytes(line, (*path, index)) for index, line in enumerate(value))
    return records.text_bytes(value, path)


def _parts(
    forms: Sequence[Form],
    value: Mapping[str, Any],
    path: Path,
    entry: Entry | None,
    others: Sequence[str] = (),
) -> Iterator[bytes]:
    """The bytes of the parts of an object, in the order of their forms; raises `Fault`."""
    records.refuse_unknown(value, (*(it.name for it in forms), *others), path)
    counts = {name: len(it) for name, it in value.items() if isinstance(it, list)}
    for form in forms:
        if form.name in value:
            yield from _part(form, value[form.name], (*path, form.name), entry, counts)
        elif not (isinstance(form, Block) or getattr(form, "is_optional", False)):
            raise Fault(path, Sentence("{name} is missing", name=form.name))


def _part(
    form: Form, value: Any, path: Path, entry: Entry | None, counts: Mapping[str, int]
) -> Iterator[bytes]:
    """The bytes of a part; `counts` are the rows of those next to it."""
    match form:
        case One():
            yield _one(form, value, path, entry, counts)
        case Rows():
            rows = records.list_at(value, path)
            yield records.table(form.record(rows, entry), rows, path).tobytes()
        case Line():
            yield _line(form, value, path, counts)
        case Labels():
            for index, item in enumerate(records.list_at(value, path)):
                yield _label(item, (*path, index))
        case Block() if form.is_text:
            yield _text(value, path)
        case Group() if isinstance(value, dict) or not form.may_be_bytes:
            yield from _parts(form.children, records.object_at(value, path), path, entry)
        case Listing():
            for index, item in enumerate(records.list_at(value, path)):
                yield from _item(form, item, (*path, index), entry)
        case _:
            yield records.hexadecimal(value, path)


def _one(form: One, value: Any, path: Path, entry: Entry | None, counts: Mapping[str, int]) -> bytes:
    """A record, with the numbers of rows that it leaves out."""
    found = records.object_at(value, path)
    derived = {name: counts.get(table, 0) + added for name, (table, added) in form.counts.items()}
    return records.one(form.record, {**derived, **found}, path, form.size(entry) if form.size else None)


def _line(form: Line, value: Any, path: Path, counts: Mapping[str, int]) -> bytes:
    """A record of texts, with those that are usual."""
    found = records.object_at(value, path)
    records.refuse_unknown(found, [it.name for it in form.fields], path)
    texts: list[bytes] = []
    for declared in form.fields:
        usual = usual_text(form, declared.name, counts)
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


def _item(form: Listing, value: Any, path: Path, entry: Entry | None) -> Iterator[bytes]:
    """One row of a list; its kind names one of several records."""
    if len(form.items) == 1:
        yield from _part(form.items[0], value, path, entry, {})
        return
    found = dict(records.object_at(value, path))
    kind = records.require(found, KIND, path)
    chosen = next((it for it in form.items if it.name == kind), None)
    if chosen is None:
        known = ", ".join(it.name for it in form.items)
        raise Fault(
            (*path, KIND), Sentence("{kind} is not one of {known}", kind=places.short(kind), known=known)
        )
    del found[KIND]
    yield from _part(chosen, found, path, entry, {})
