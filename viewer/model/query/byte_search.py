"""Searching one payload: bytes with ``??``, text, whole numbers of any type, floats near a value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from functools import partial
from itertools import islice
from math import isfinite
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.errors import UsageError
from viewer.formats.record import Bytes
from viewer.formats.text import encode, uncased
from viewer.model.query.search_query import pattern_of_bytes
from viewer.progress import current
from viewer.translation import _

Offsets = npt.NDArray[np.int64]

MOST_FOUND: Final = 100_000
"""Places that are listed."""
CHUNK: Final = 1 << 20
"""Bytes that are searched between two checks whether the work was cancelled."""
_NUMBER: Final = re.compile(r"([+-]?(?:0x[0-9a-f]+|\d+))(?:\s*:?\s*([ui])(8|16|32|64)(be)?)?", re.IGNORECASE)
_NEAR: Final = re.compile(r"(\S+?)(?:\s*(?:±|\+-|\+/-)\s*(\S+))?")
_WIDTHS: Final = (1, 2, 4, 8)
_FLOAT: Final = 4


class Sought(StrEnum):
    """The kind of the text that a search looks for."""

    BYTES = "bytes"
    TEXT = "text"
    NUMBER = "number"
    FLOAT = "float"


class FoundBytes(Struct, frozen=True, eq=False):
    """Places of the searched bytes in a payload.

    Attributes
    ----------
    offsets
        Ascending, (n,) int64.
    size
        Bytes of each.
    is_cut
        Whether there are more than `MOST_FOUND`.
    """

    offsets: Offsets
    size: int
    is_cut: bool = False

    def next_after(self, offset: int, step: int) -> int | None:
        """The index of the next one after an offset (1), or of the last before it (-1), cyclically."""
        count = len(self.offsets)
        if not count:
            return None
        side = "right" if step > 0 else "left"
        index = int(np.searchsorted(self.offsets, offset, side=side))  # type: ignore[call-overload]
        return (index if step > 0 else index - 1) % count


class ByteQuery(Struct, frozen=True, eq=False):
    """The payload and the text of a panel's search; equal only to itself."""

    data: memoryview
    sought: Sought
    text: str


class ByteAnswer(Struct, frozen=True, eq=False):
    """The result of a panel's search; `problem` says why nothing could be looked for."""

    query: ByteQuery
    found: FoundBytes | None
    problem: str = ""


def answer(query: ByteQuery) -> ByteAnswer:
    """The answer to the query of a panel."""
    try:
        return ByteAnswer(query, search(query.data, query.sought, query.text))
    except UsageError as error:
        return ByteAnswer(query, None, error.text)


def search(data: Bytes, sought: Sought, text: str) -> FoundBytes:
    """The places of a text in a payload; raises `UsageError` if it cannot be looked for.

    It reports its progress, and ends early if the work of its thread is cancelled.

    Parameters
    ----------
    text
        ``4D 53 ??`` for bytes; a text in CP1251, without regard to case; a whole number, of any width that
        holds it, or of one type: ``300 u16``, ``-5 i32``, ``0x10 u32be``; a binary32 number near a value,
        which is within half of its last digit, or within what follows: ``0.35``, ``1 +- 0.1``.
    """
    finder = finder_of(sought, text)
    view, found, count, following = memoryview(data).cast("B"), [], 0, 0
    progress = current()
    progress.begin(len(view))
    for start in range(0, len(view), CHUNK):
        # The last ones of a piece may end in the next piece.
        # So long that what begins at its last offset fits, and nothing that begins later: each place is in
        # one piece.
        piece = view[start : start + CHUNK + finder.size - 1]
        # Searched from where the last one ended, as `finditer` does inside a piece: in 00 00 00 the bytes 00
        # 00 are once.
        offsets = start + finder.find(piece, max(0, following - start))
        if len(offsets):
            following = int(offsets[-1]) + finder.step
        found.append(offsets)
        count += len(offsets)
        progress.advance(min(CHUNK, len(view) - start))
        if count > MOST_FOUND:
            break
    offsets = np.concatenate(found) if found else np.zeros(0, np.int64)
    return FoundBytes(offsets[:MOST_FOUND], finder.size, count > MOST_FOUND)


class Finder(Struct, frozen=True):
    """Finds one thing in pieces of a payload.

    Attributes
    ----------
    find
        Gives the offsets in a piece from an offset on, ascending, (n,) int64.
    size
        Bytes of what is found.
    step
        Bytes from one to the next at least: those found may not overlap unless it is 1.
    """

    find: Callable[[memoryview, int], Offsets]
    size: int
    step: int


def finder_of(sought: Sought, text: str) -> Finder:
    """The finder of a text, as `search` takes it; raises `UsageError` if it cannot be looked for."""
    text = text.strip()
    if sought is Sought.FLOAT:
        return Finder(partial(_near, *_limits(text)), _FLOAT, 1)
    if sought is Sought.TEXT:
        wanted = _encoded(text)
        pattern = re.compile(re.escape(wanted))
        return Finder(
            lambda piece, first: _matches(pattern, uncased(bytes(piece)), first), *[len(wanted)] * 2
        )
    if sought is Sought.NUMBER:
        wanted = _number(text)
        return Finder(partial(_matches, re.compile(re.escape(wanted), re.DOTALL)), *[len(wanted)] * 2)
    bytes_pattern, length = pattern_of_bytes(text)
    if bytes_pattern is None:
        raise UsageError(_("bytes are pairs of hexadecimal digits, or ?? for any: 4D 53 ??"))
    return Finder(partial(_matches, bytes_pattern), *[length] * 2)


def _encoded(text: str) -> bytes:
    try:
        wanted = uncased(encode(text))
    except ValueError:
        wanted = b""
    if not wanted:
        raise UsageError(_("{text!r} is no text in CP1251", text=text))
    return wanted


def _number(text: str) -> bytes:
    """The bytes of a whole number, little-endian unless stated; of the smallest type that holds it.

    In a wider type it begins with the same bytes, so those are found too.
    """
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise UsageError(_("{text!r} is no whole number, like 300, 0x1F or 300 u16", text=text))
    # Base 0 reads 0x10 and refuses 010, which a person may write.
    number = int(found[1], 0 if "x" in found[1].lower() else 10)
    widths = _WIDTHS if found[3] is None else (int(found[3]) // 8,)
    is_signed = number < 0 if found[2] is None else found[2].lower() == "i"
    for width in widths:
        try:
            return number.to_bytes(width, "big" if found[4] else "little", signed=is_signed)
        except OverflowError:
            continue
    raise UsageError(_("{text!r} does not fit", text=text))


def _matches(pattern: re.Pattern[bytes], piece: Bytes, first: int) -> Offsets:
    found: Iterator[int] = (match.start() for match in pattern.finditer(piece, first))
    return np.fromiter(islice(found, MOST_FOUND + 1), np.int64)


def _near(low: np.float32, high: np.float32, piece: memoryview, _ignored: int) -> Offsets:
    found = []
    for phase in range(_FLOAT):  # a float may begin at any offset
        count = (len(piece) - phase) // _FLOAT
        if count > 0:
            values = np.frombuffer(piece, "<f4", count, phase)
            with np.errstate(invalid="ignore"):
                # NaN is neither, so it is near nothing; numpy would warn of comparing it.
                is_near = (values >= low) & (values <= high)
            found.append(np.flatnonzero(is_near).astype(np.int64) * _FLOAT + phase)
    return np.sort(np.concatenate(found)) if found else np.zeros(0, np.int64)


def _limits(text: str) -> tuple[np.float32, np.float32]:
    """The least and the largest number near a text."""
    given = _NEAR.fullmatch(text)
    with suppress(InvalidOperation):
        value = Decimal(given[1] if given else "")
        exponent = value.as_tuple().exponent
        # 0.35 has exponent -2: 0.005, so 0.345 to 0.355. Decimal keeps the digits that were typed, a float
        # does not.
        half = Decimal((0, (5,), exponent - 1)) if isinstance(exponent, int) else Decimal("nan")
        reach = abs(Decimal(given[2])) if given and given[2] else half
        if isfinite(value) and isfinite(reach):
            # Limits in 32 bits: "0.1 +- 0" finds the 32-bit number next to 0.1, which no number of 64 bits
            # equals.
            return _single(value - reach), _single(value + reach)
    raise UsageError(_("{text!r} is no number, like 0.35 or 1 +- 0.1", text=text))


def _single(value: Decimal) -> np.float32:
    with np.errstate(over="ignore"):
        return np.float32(float(value))
