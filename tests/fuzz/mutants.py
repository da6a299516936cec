"""Mutants: sound files with some of their bytes changed, the same ones for the same number."""

from __future__ import annotations

import struct
from collections.abc import Callable
from random import Random
from typing import Final

NUMBERS: Final = (0, 1, 2, 3, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFE, 0xFFFF, 0x10000,
                  0x7FFFFFFF, 0x80000000, 0xFFFFFFF0, 0xFFFFFFFE, 0xFFFFFFFF)  # fmt: skip
"""Counts, sizes and offsets at the borders of their types."""
FLOATS: Final = (float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1e-45, 3.4e38, -3.4e38, 1e20)
WIDTHS: Final = {1: "<B", 2: "<H", 4: "<I"}
HEAD: Final = 256
"""Bytes at the start that are changed as often as all the others: headers and directories."""
MOST: Final = 1 << 22
"""Size that no mutant exceeds."""

Change = Callable[[bytearray, bytes, Random], None]


def mutant(seed: bytes, other: bytes, number: int) -> bytes:
    """The mutant of a seed with a number; some take bytes from another seed."""
    random = Random(f"{len(seed)} {number}")
    data = bytearray(seed)
    for _ in range(random.choice((1, 1, 1, 2, 3, 8, 30))):
        random.choice(CHANGES)(data, other, random)
        del data[MOST:]
    return bytes(data)


def _place(data: bytearray, random: Random, alignment: int = 1) -> int:
    """An offset: in the first or last bytes, or anywhere."""
    size = len(data)
    low, high = random.choice(((0, min(size, HEAD)), (max(0, size - HEAD), size), (0, size)))
    return random.randrange(low, high + 1) // alignment * alignment


def _flip_bit(data: bytearray, _: bytes, random: Random) -> None:
    if data:
        data[min(_place(data, random), len(data) - 1)] ^= 1 << random.randrange(8)


def _set_number(data: bytearray, _: bytes, random: Random) -> None:
    """A number at the border of its type, or one that fits the file about."""
    width = random.choice((1, 2, 4, 4))
    value = random.choice((*NUMBERS, len(data), len(data) + 1, random.randrange(len(data) + 1)))
    place = _place(data, random, width)
    data[place : place + width] = struct.pack(WIDTHS[width], value & ((1 << 8 * width) - 1))


def _add_to_number(data: bytearray, _: bytes, random: Random) -> None:
    width = random.choice((1, 2, 4))
    place = _place(data, random, width)
    if place + width <= len(data):
        value = int.from_bytes(data[place : place + width], "little") + random.choice((-2, -1, 1, 2, 16))
        data[place : place + width] = (value % (1 << 8 * width)).to_bytes(width, "little")


def _set_float(data: bytearray, _: bytes, random: Random) -> None:
    place = _place(data, random, 4)
    data[place : place + 4] = struct.pack("<f", random.choice(FLOATS))


def _fill(data: bytearray, _: bytes, random: Random) -> None:
    place, size = _place(data, random), random.choice((1, 4, 16, 64, 1024))
    data[place : place + size] = bytes([random.choice((0, 0xFF, 0x20, random.randrange(256)))]) * size


def _truncate(data: bytearray, _: bytes, random: Random) -> None:
    del data[_place(data, random) :]


def _remove(data: bytearray, _: bytes, random: Random) -> None:
    place = _place(data, random)
    del data[place : place + random.choice((1, 2, 4, 32, 64, 1000))]


def _repeat(data: bytearray, _: bytes, random: Random) -> None:
    place, size = _place(data, random), random.choice((1, 4, 32, 64, 500, 5000))
    data[place:place] = data[place : place + size] * random.choice((1, 1, 2, 9))


def _append(data: bytearray, _: bytes, random: Random) -> None:
    data += random.randbytes(random.choice((1, 3, 16, 400)))


def _copy_from_other(data: bytearray, other: bytes, random: Random) -> None:
    if other:
        start, size = random.randrange(len(other)), random.choice((4, 32, 64, 1000))
        place = _place(data, random, random.choice((1, 4)))
        data[place : place + size] = other[start : start + size]


def _swap(data: bytearray, _: bytes, random: Random) -> None:
    size = random.choice((4, 16, 32, 64))
    a, b = sorted((_place(data, random, size), _place(data, random, size)))
    if a + size <= b and b + size <= len(data):
        data[a : a + size], data[b : b + size] = data[b : b + size], data[a : a + size]


CHANGES: Final[tuple[Change, ...]] = (
    _flip_bit, _set_number, _set_number, _set_number, _add_to_number, _set_float, _fill, _truncate, _remove,
    _repeat, _append, _copy_from_other, _swap,
)  # fmt: skip
