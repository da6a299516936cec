"""Records from JSON values, column by column; what does not fit its field is an error with its path."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.formats.record import DECIMAL, Field, Record
from viewer.formats.record import Rows as RecordRows
from viewer.formats.text import encode
from viewer.model.convert.text.places import Fault, Path, short
from viewer.model.convert.text.values import AFTER, TEXT
from viewer.translation import Sentence

_FLOATS: Final = {"nan": 0x7FC00000, "inf": 0x7F800000, "-inf": 0xFF800000}
_TYPES: Final = {
    dict: "an object",
    list: "a list",
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "a truth value",
}


def wrong(path: Path, value: object, expected: str) -> Fault:
    """Return the mistake of a value of another type."""
    found = _TYPES.get(type(value), "null")
    if isinstance(value, str | int | float):
        return Fault(
            path, Sentence("{value} is not {expected}", value=short(value), expected=Sentence(expected))
        )
    return Fault(
        path, Sentence("{found} is not {expected}", found=Sentence(found), expected=Sentence(expected))
    )


def object_at(value: Any, path: Path) -> dict[str, Any]:
    """Return a value that is an object; raises `Fault`."""
    if not isinstance(value, dict):
        raise wrong(path, value, "an object")
    return value


def list_at(value: Any, path: Path) -> list[Any]:
    """Return a value that is a list; raises `Fault`."""
    if not isinstance(value, list):
        raise wrong(path, value, "a list")
    return value


def refuse_unknown(value: Mapping[str, Any], known: Collection[str], path: Path) -> None:
    """Raise `Fault` for a member that is not known."""
    for name in value:
        if name not in known:
            raise Fault((*path, name), Sentence("nothing is called {name}", name=short(name)))


def require(value: Mapping[str, Any], name: str, path: Path) -> Any:
    """Return a member that has to be there; raises `Fault`."""
    if name not in value:
        raise Fault(path, Sentence("{name} is missing", name=name))
    return value[name]


def whole_number(value: Any, most: int, path: Path, least: int = 0) -> int:
    """Return a value that is a whole number between limits; raises `Fault`."""
    if isinstance(value, str) and value[:2] == "0x":
        with suppress(ValueError):
            value = int(value, 16)
    if type(value) is not int:
        raise wrong(path, value, "a whole number")
    if value > most:
        raise Fault(path, Sentence("{value} exceeds {limit}", value=short(value), limit=most))
    if value < least:
        raise Fault(path, Sentence("{value} is below {limit}", value=short(value), limit=least))
    return value


def table(record: Record, values: Sequence[Any], path: Path) -> RecordRows:
    """Return the records, (n,), of the rows of a table; raises `Fault`."""
    made = record.new(len(values))
    if len(record.fields) == 1:
        _fill(made, record.fields[0], values, path, "")
        return made
    names = record.dtype.names or ()
    expected = {*names}
    for index, value in enumerate(values):
        if type(value) is not dict or value.keys() != expected:
            _refuse(value, names, (*path, index))
    for declared in record.fields:
        name = declared.name
        _fill(made, declared, [value[name] for value in values], path, name)
    return made


def one(record: Record, value: dict[str, Any], path: Path, size: int | None = None) -> bytes:
    """Return the bytes of one record, of which `size` are stored; raises `Fault`."""
    stored = [it for it in record.fields if size is None or it.offset + it.size <= size]
    _refuse(value, [it.name for it in stored], path)
    made = record.new(1)
    for declared in stored:
        made[declared.name] = _column(declared, [value[declared.name]], [(*path, declared.name)])
    return made.tobytes()[:size]


def _refuse(value: Any, names: Sequence[str], path: Path) -> None:
    """Raise `Fault` for a row that is no object, or has other members."""
    found = object_at(value, path)
    refuse_unknown(found, names, path)
    for name in names:
        require(found, name, path)


def _fill(made: RecordRows, declared: Field, values: Sequence[Any], path: Path, name: str) -> None:
    """Set a field of all rows."""
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
    types = {*map(type, flat)}
    if not types <= ({int, float} if dtype.kind == "f" else {int}):
        return None
    try:
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
    """The values of a column, each looked at on its own; raises `Fault`."""
    dtype = np.dtype(declared.dtype)
    shape = (len(values), *declared.shape)
    if dtype.kind in "SV":
        raw = b"".join(field_bytes(declared, value, path) for value, path in zip(values, paths, strict=True))
        return np.frombuffer(raw, dtype, len(values)).reshape(shape)
    flat = chain.from_iterable(
        _numbers(declared, declared.shape, value, path) for value, path in zip(values, paths, strict=True)
    )
    if dtype.kind == "f":
        return np.array([*flat], "<u4").view(dtype).reshape(shape)
    return np.array([*flat], np.int64).astype(dtype).reshape(shape)


def _numbers(declared: Field, shape: tuple[int, ...], value: Any, path: Path) -> Iterable[int]:
    """The numbers of a value, those of a float as its bits; raises `Fault`."""
    if not shape:
        yield _bits(value, path) if declared.is_float else _integer(declared, value, path)
        return
    found = list_at(value, path)
    if len(found) != shape[0]:
        raise Fault(
            path, Sentence("{count} values, {expected} are needed", count=len(found), expected=shape[0])
        )
    for index, element in enumerate(found):
        yield from _numbers(declared, shape[1:], element, (*path, index))


def _integer(declared: Field, value: Any, path: Path) -> int:
    if value is None and declared.none is not None:
        return declared.none
    limits = np.iinfo(np.dtype(declared.dtype))
    return whole_number(value, int(limits.max), path, int(limits.min))


def _bits(value: Any, path: Path) -> int:
    """The bits of a binary32 number; raises `Fault`."""
    if isinstance(value, str):
        if value in _FLOATS:
            return _FLOATS[value]
        return whole_number(value, 0xFFFFFFFF, path) if value[:2] == "0x" else _no_number(value, path)
    if type(value) not in (int, float):
        return _no_number(value, path)
    try:
        with np.errstate(over="ignore"):
            found = np.array([value], np.float64).astype("<f4")
    except OverflowError:
        found = np.array([np.inf], "<f4")
    if not np.isfinite(found[0]):
        raise Fault(path, Sentence("{value} exceeds {limit}", value=short(value), limit="3.4028235e+38"))
    return int(found.view("<u4")[0])


def _no_number(value: Any, path: Path) -> int:
    raise wrong(path, value, "a number")


def field_bytes(declared: Field, value: Any, path: Path) -> bytes:
    """Return the bytes of a text or of plain bytes in a field; raises `Fault`."""
    if not declared.is_text:
        raw = hexadecimal(value, path)
        if len(raw) != declared.size:
            message = Sentence("{count} bytes, {expected} are needed", count=len(raw), expected=declared.size)
            raise Fault(path, message)
        return raw
    after = b""
    if isinstance(value, dict):
        refuse_unknown(value, (TEXT, AFTER), path)
        after = b"\0" + hexadecimal(require(value, AFTER, path), (*path, AFTER))
        value, path = require(value, TEXT, path), (*path, TEXT)
    raw = text_bytes(value, path)
    if b"\0" in raw:
        raise Fault(path, Sentence("a text ends at a NUL; what follows it is in {after}", after=AFTER))
    raw += after
    if len(raw) > declared.size:
        message = Sentence("{count} bytes exceed {limit}", count=len(raw), limit=declared.size)
        raise Fault(path, message)
    return raw.ljust(declared.size, b"\0")


def whole_bytes(declared: Field, value: Any, path: Path) -> bytes:
    """Return the bytes of a text that is as long as its value; raises `Fault`."""
    if declared.encoding == DECIMAL and type(value) is int:
        return str(whole_number(value, 10**18 - 1, path, -(10**18) + 1)).encode()
    return text_bytes(value, path)


def text_bytes(value: Any, path: Path) -> bytes:
    """Return a text in the encoding of the game; raises `Fault`."""
    if not isinstance(value, str):
        raise wrong(path, value, "a text")
    try:
        return encode(value)
    except ValueError as error:
        raise Fault(path, Sentence("{reason}", reason=str(error))) from None


def hexadecimal(value: Any, path: Path) -> bytes:
    """Return the bytes of hexadecimal digits, in one text or in several; raises `Fault`."""
    if isinstance(value, list):
        return b"".join(_hexadecimal(line, (*path, index)) for index, line in enumerate(value))
    return _hexadecimal(value, path)


def _hexadecimal(value: Any, path: Path) -> bytes:
    if not isinstance(value, str):
        raise wrong(path, value, "a text")
    try:
        return bytes.fromhex(value)
    except ValueError:
        raise Fault(
            path, Sentence("{value} is not pairs of hexadecimal digits", value=short(value))
        ) from None
