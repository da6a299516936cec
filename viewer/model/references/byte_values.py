"""The values of the bytes at an offset in every type, in both byte orders.

Source: spec/msh.md 4 (normals, texture coordinates), spec/animation.md (quaternions).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from viewer.formats.record import Bytes
from viewer.formats.text import decode, until_nul

LONGEST_TEXT: Final = 64
"""Bytes of the longest text that is read."""
LITTLE, BIG = "<", ">"


class ByteValue(NamedTuple):
    """A type and its two values, empty where the bytes do not suffice."""

    name: str
    size: int
    little: str
    big: str


def _scaled(scale: int, *, is_clamped: bool = True) -> Callable[[Any], str]:
    def text(value: Any) -> str:
        read = int(value) / scale
        # -128 / 127 is below -1; `vertices.decode_normals` takes it for -1 as well.
        return f"{max(read, -1.0) if is_clamped else read:.6g}"

    return text


_TYPES: Final[tuple[tuple[str, str, Callable[[Any], str]], ...]] = (
    *((f"{sign}{8 * size}", f"{code}{size}", str) for size in (1, 2, 4, 8) for sign, code in ("uu", "ii")),
    *((f"f{8 * size}", f"f{size}", str) for size in (2, 4, 8)),
    ("i8 / 127", "i1", _scaled(127)),
    ("i16 / 32767", "i2", _scaled(32767)),
    ("i16 / 1024", "i2", _scaled(1024, is_clamped=False)),
    ("i32 / 65536", "i4", _scaled(65536, is_clamped=False)),
)
"""The name of each type, its code in numpy, and its text."""


def byte_values(data: Bytes, offset: int) -> list[ByteValue]:
    """The values of the bytes at an offset in every number type; those of one byte have no order."""
    # No type is longer than 8 bytes; near the end of the payload the window is shorter, and long types stay
    # empty.
    window = bytes(memoryview(data)[offset : offset + 8])
    found = []
    for name, code, text in _TYPES:
        size = int(code[1:])
        orders = (LITTLE,) if size == 1 else (LITTLE, BIG)
        texts = [_read(window, order + code, size, text) for order in orders]
        found.append(ByteValue(name, size, texts[0], texts[-1]))
    return found


def _read(window: bytes, code: str, size: int, text: Callable[[Any], str]) -> str:
    if len(window) < size:
        return ""
    return text(np.frombuffer(window[:size], code)[0])


def text_at(data: Bytes, offset: int) -> str:
    """The text in CP1251 at an offset, up to its NUL."""
    return decode(until_nul(bytes(memoryview(data)[offset : offset + LONGEST_TEXT])))
