"""Parts of resources from JSON values, records column by column; what does not fit is an error."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from types import SimpleNamespace
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from viewer.errors import reason_of
from viewer.formats.layout.layout import Layout, Member
from viewer.formats.layout.lists import CountedText, Listing, Nested, Tagged, TextLine
from viewer.formats.layout.members import Array, RawBytes, Single, Varying
from viewer.formats.record import DECIMAL, Field, Record
from viewer.formats.record import Rows as RecordRows
from viewer.formats.text import encode
from viewer.model.convert.text.places import JsonFault, Path, short
from viewer.model.convert.text.values import AFTER, KIND, LENGTH_SIZE, TEXT, usual_text
from viewer.translation import _

T = TypeVar("T")
# The NaN that Python and numpy make; others have bits of their own and are written as words.
_FLOATS: Final = {"nan": 0x7FC00000, "inf": 0x7F800000, "-inf": 0xFF800000}
_TYPES: Final = {
    dict: "an object",
    list: "a list",
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "a truth value",
}


def parts_bytes(
    layout: Layout[Any],
    value: Mapping[str, Any],
    path: Path,
    stated: Mapping[str, Any],
    others: Sequence[str] = (),
) -> Iterator[bytes]:
    """The bytes of the parts of an object, in the order of their layout; raises `JsonFault`."""
    refuse_unknown(value, (*layout.by_part, *others), path)
    counts = {name: len(it) for name, it in value.items() if isinstance(it, list)}
    it = SimpleNamespace(**stated)
    for attribute, member in layout.members.items():
        where = (*path, member.name)
        if member.name not in value:
            if not member.is_optional:
                raise JsonFault(path, "{name} is missing", name=member.name)
        elif isinstance(member, Single):
            rows = layout.counts[attribute]
            derived = {name: counts.get(table, 0) + added for name, (table, added) in rows.items()}
            size = member.stored_size(it)
            found = object_at(value[member.name], where)
            made = one(member.record, {**derived, **found}, where, size)
            # Of a header that is stored in part the rest has its defaults: later parts may ask for any field.
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
            rows = list_at(value, path)
            yield table(_record(member, rows, path, it), rows, path).tobytes()
        case TextLine():
            yield _line(member, value, path, counts)
        case CountedText():
            yield _counted(member, value, path)
        case RawBytes() if member.is_text:
            yield plain_text(value, path)
        case Nested() if isinstance(value, dict) or not member.is_payload:
            yield from parts_bytes(member.layout, object_at(value, path), path, {})
        case Tagged():
            for index, row in enumerate(list_at(value, path)):
                yield _tagged(member, row, (*path, index))
        case Listing():
            for index, row in enumerate(list_at(value, path)):
                yield from _part(member.row, row, (*path, index), it, {})
        case _:
            yield hexadecimal(value, path)


def _record(member: Array, rows: Sequence[Any], path: Path, it: SimpleNamespace) -> Record:
    """The record of a table; raises `JsonFault` if its rows are not as long as a record before states."""
    record = member.record
    if not isinstance(record, Varying):
        return record
    if not rows:
        return record.make(0)
    last = record.make(1).fields[-1].name
    found = rows[0].get(last) if isinstance(rows[0], dict) else rows[0]
    length = record.length(it)
    # The length of a row is stated by a record before it, so one row tells all.
    if isinstance(found, list) and len(found) != length:
        raise JsonFault(
            (*path, 0), "{count} values, {expected} are needed", count=len(found), expected=length
        )
    return record.make(length if isinstance(found, list) else 0)


def _line(line: TextLine, value: Any, path: Path, counts: Mapping[str, int]) -> bytes:
    """A record of texts, with those that are usual."""
    found = object_at(value, path)
    refuse_unknown(found, [it.name for it in line.fields], path)
    texts: list[bytes] = []
    for declared in line.fields:
        usual = usual_text(line, declared.name, counts)
        if declared.name in found or usual is None:
            given = require(found, declared.name, path)
            texts.append(whole_bytes(declared, given, (*path, declared.name)))
        else:
            texts.append(usual)
    return b"".join(texts)


def _counted(member: CountedText, value: Any, path: Path) -> bytes:
    """A text with its length, and what follows it."""
    end = 0
    if isinstance(value, dict) and member.has_end:
        refuse_unknown(value, ("text", "end"), path)
        end = whole_number(require(value, "end", path), 255, (*path, "end"))
        value, path = require(value, "text", path), (*path, "text")
    raw = text_bytes(value, path)
    return len(raw).to_bytes(LENGTH_SIZE, "little") + (raw + bytes([end] * member.has_end) if raw else b"")


def _tagged(member: Tagged, value: Any, path: Path) -> bytes:
    """A record of the kind that is named in it."""
    found = dict(object_at(value, path))
    kind = require(found, KIND, path)
    chosen = next((it for it in member.kinds.values() if it.name == kind), None)
    if chosen is None:
        known = ", ".join(it.name for it in member.kinds.values())
        raise JsonFault((*path, KIND), "{kind} is not one of {known}", kind=short(kind), known=known)
    del found[KIND]
    return one(chosen, found, path)


def plain_text(value: Any, path: Path) -> bytes:
    """A text, or the lines of one."""
    if isinstance(value, list):
        return b"".join(text_bytes(line, (*path, index)) for index, line in enumerate(value))
    return text_bytes(value, path)


def wrong(path: Path, value: object, expected: str) -> JsonFault:
    """The mistake of a value of another type."""
    found = _TYPES.get(type(value), "null")
    if isinstance(value, str | int | float):
        return JsonFault(path, "{value} is not {expected}", value=short(value), expected=_(expected))
    return JsonFault(path, "{found} is not {expected}", found=_(found), expected=_(expected))


def object_at(value: Any, path: Path) -> dict[str, Any]:
    """A value that is an object; raises `JsonFault`."""
    return _typed(dict, value, path)


def list_at(value: Any, path: Path) -> list[Any]:
    """A value that is a list; raises `JsonFault`."""
    return _typed(list, value, path)


def text_at(value: Any, path: Path) -> str:
    """A value that is a text; raises `JsonFault`."""
    return _typed(str, value, path)


def _typed(kind: type[T], value: Any, path: Path) -> T:
    if not isinstance(value, kind):
        raise wrong(path, value, _TYPES[kind])
    return value


def refuse_unknown(value: Mapping[str, Any], known: Collection[str], path: Path) -> None:
    """Raise `JsonFault` for a member that is not known."""
    for name in value:
        if name not in known:
            raise JsonFault((*path, name), "nothing is called {name}", name=short(name))


def require(value: Mapping[str, Any], name: str, path: Path) -> Any:
    """A member that has to be there; raises `JsonFault`."""
    if name not in value:
        raise JsonFault(path, "{name} is missing", name=name)
    return value[name]


def whole_number(value: Any, most: int, path: Path, least: int = 0) -> int:
    """A value that is a whole number between limits; raises `JsonFault`."""
    if isinstance(value, str) and value[:2] == "0x":
        with suppress(ValueError):
            value = int(value, 16)
    if type(value) is not int:
        raise wrong(path, value, "a whole number")
    if value > most:
        raise JsonFault(path, "{value} exceeds {limit}", value=short(value), limit=most)
    if value < least:
        raise JsonFault(path, "{value} is below {limit}", value=short(value), limit=least)
    return value


def table(record: Record, values: Sequence[Any], path: Path) -> RecordRows:
    """The records, (n,), of the rows of a table; raises `JsonFault`."""
    made = record.new(len(values))
    if len(record.fields) == 1:
        _fill(made, record.fields[0], values, path, "")
        return made
    names = record.dtype.names or ()
    expected = {*names}
    for index, value in enumerate(values):
        # Compared as sets, as members may come in any order; only a row that fails is looked at for its
        # message.
        if type(value) is not dict or value.keys() != expected:
            _refuse(value, names, (*path, index))
    for declared in record.fields:
        name = declared.name
        _fill(made, declared, [value[name] for value in values], path, name)
    return made


def one(record: Record, value: dict[str, Any], path: Path, size: int | None = None) -> bytes:
    """The bytes of one record, of which `size` are stored; raises `JsonFault`."""
    stored = [it for it in record.fields if size is None or it.offset + it.size <= size]
    _refuse(value, [it.name for it in stored], path)
    made = record.new(1)
    for declared in stored:
        made[declared.name] = _column(declared, [value[declared.name]], [(*path, declared.name)])
    return made.tobytes()[:size]


def _refuse(value: Any, names: Sequence[str], path: Path) -> None:
    """Raise `JsonFault` for a row that is no object, or has other members."""
    found = object_at(value, path)
    refuse_unknown(found, names, path)
    for name in names:
        require(found, name, path)


def _fill(made: RecordRows, declared: Field, values: Sequence[Any], path: Path, name: str) -> None:
    """Set a field of all rows from its values."""
    # Columns of plain numbers are made at once; what does not fit is looked at one by one for its message.
    quick = _quick(declared, values)
    if quick is None:
        tail = (name,) if name else ()
        quick = _column(declared, values, ((*path, index, *tail) for index in range(len(values))))
    made[declared.name] = quick


def _quick(declared: Field, values: Sequence[Any]) -> npt.NDArray[Any] | None:
    """The values of a column of numbers that all fit; None if they have to be looked at one by one."""
    dtype = np.dtype(declared.dtype)
    if dtype.kind not in "iuf":
        return None
    flat: Sequence[Any] = values
    for length in declared.shape:
        if not all(type(it) is list and len(it) == length for it in flat):
            return None
        flat = [*chain.from_iterable(flat)]
    if declared.none is not None:
        flat = [declared.none if it is None else it for it in flat]
    # By type, not isinstance: True is an int to Python, and no number in JSON.
    types = {*map(type, flat)}
    if not types <= ({int, float} if dtype.kind == "f" else {int}):
        return None
    try:
        # Wide first: the range of a narrower field is checked before anything wraps.
        found = np.array(flat, np.float64 if dtype.kind == "f" else np.int64)
    except OverflowError:
        return None
    return _narrowed(found, dtype, (len(values), *declared.shape))


def _narrowed(
    found: npt.NDArray[Any], dtype: np.dtype[Any], shape: tuple[int, ...]
) -> npt.NDArray[Any] | None:
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            narrow = found.astype(dtype)
        return narrow.reshape(shape) if np.isfinite(narrow).all() else None
    limits = np.iinfo(dtype)
    fits = not found.size or (found.min() >= limits.min and found.max() <= limits.max)
    return found.astype(dtype).reshape(shape) if fits else None


def _column(declared: Field, values: Sequence[Any], paths: Iterable[Path]) -> npt.NDArray[Any]:
    """The values of a column, each looked at on its own; raises `JsonFault`."""
    dtype = np.dtype(declared.dtype)
    shape = (len(values), *declared.shape)
    if dtype.kind in "SV":
        raw = b"".join(field_bytes(declared, value, path) for value, path in zip(values, paths, strict=True))
        return np.frombuffer(raw, dtype, len(values)).reshape(shape)
    flat = chain.from_iterable(
        _numbers(declared, declared.shape, value, path) for value, path in zip(values, paths, strict=True)
    )
    if dtype.kind == "f":
        # As bits, so that each NaN keeps its own.
        return np.array([*flat], "<u4").view(dtype).reshape(shape)
    return np.array([*flat], np.int64).astype(dtype).reshape(shape)


def _numbers(declared: Field, shape: tuple[int, ...], value: Any, path: Path) -> Iterable[int]:
    """The numbers of a value, floats as their bits; raises `JsonFault`."""
    if not shape:
        yield _bits(value, path) if declared.is_float else _integer(declared, value, path)
        return
    found = list_at(value, path)
    if len(found) != shape[0]:
        raise JsonFault(path, "{count} values, {expected} are needed", count=len(found), expected=shape[0])
    for index, element in enumerate(found):
        yield from _numbers(declared, shape[1:], element, (*path, index))


def _integer(declared: Field, value: Any, path: Path) -> int:
    if value is None and declared.none is not None:
        return declared.none
    limits = np.iinfo(np.dtype(declared.dtype))
    return whole_number(value, int(limits.max), path, int(limits.min))


def _bits(value: Any, path: Path) -> int:
    """The bits of a binary32 number; raises `JsonFault`."""
    if isinstance(value, str) and value in _FLOATS:
        return _FLOATS[value]
    if isinstance(value, str) and value[:2] == "0x":
        return whole_number(value, 0xFFFFFFFF, path)
    if type(value) not in (int, float):
        raise wrong(path, value, "a number")
    try:
        with np.errstate(over="ignore"):
            found = np.array([value], np.float64).astype("<f4")
    except OverflowError:
        found = np.array([np.inf], "<f4")
    if not np.isfinite(found[0]):
        raise JsonFault(path, "{value} exceeds {limit}", value=short(value), limit="3.4028235e+38")
    return int(found.view("<u4")[0])


def field_bytes(declared: Field, value: Any, path: Path) -> bytes:
    """The bytes of a text or of plain bytes in a field; raises `JsonFault`."""
    if not declared.is_text:
        raw = hexadecimal(value, path)
        if len(raw) != declared.size:
            raise JsonFault(
                path, "{count} bytes, {expected} are needed", count=len(raw), expected=declared.size
            )
        return raw
    after = b""
    if isinstance(value, dict):
        refuse_unknown(value, (TEXT, AFTER), path)
        after = b"\0" + hexadecimal(require(value, AFTER, path), (*path, AFTER))
        value, path = require(value, TEXT, path), (*path, TEXT)
    raw = text_bytes(value, path)
    if b"\0" in raw:
        raise JsonFault(path, "a text ends at a NUL; what follows it is in {after}", after=AFTER)
    raw += after
    if len(raw) > declared.size:
        raise JsonFault(path, "{count} bytes exceed {limit}", count=len(raw), limit=declared.size)
    return raw.ljust(declared.size, b"\0")


def whole_bytes(declared: Field, value: Any, path: Path) -> bytes:
    """The bytes of a text that is as long as its value; raises `JsonFault`."""
    if declared.encoding == DECIMAL and type(value) is int:
        # Eighteen digits, which fit 64 bits.
        return str(whole_number(value, 10**18 - 1, path, -(10**18) + 1)).encode()
    return text_bytes(value, path)


def text_bytes(value: Any, path: Path) -> bytes:
    """A text in the encoding of the game; raises `JsonFault`."""
    try:
        return encode(text_at(value, path))
    except ValueError as error:
        raise JsonFault(path, "{reason}", reason=reason_of(error)) from None


def hexadecimal(value: Any, path: Path) -> bytes:
    """The bytes of hexadecimal digits, in one text or in several; raises `JsonFault`."""
    if isinstance(value, list):
        return b"".join(_hexadecimal(line, (*path, index)) for index, line in enumerate(value))
    return _hexadecimal(value, path)


def _hexadecimal(value: Any, path: Path) -> bytes:
    try:
        return bytes.fromhex(text_at(value, path))
    except ValueError:
        raise JsonFault(path, "{value} is not pairs of hexadecimal digits", value=short(value)) from None
