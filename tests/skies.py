"""Skies from their numbers, byte by byte, as the specification lays them out."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

BLACK = (0, 0, 0)


def time(hour: int = 0, minute: int = 0, section: int = 0) -> bytes:
    return struct.pack("<8I", section, 0, 0, hour, minute, 0, 0xCDCDCDCD, 0xCDCDCDCD)


def text(value: bytes) -> bytes:
    return struct.pack("<i", len(value)) + value


def keyframe(
    at: tuple[int, int],
    event: int = 2,
    colors: Mapping[int, Sequence[int]] | None = None,
    *,
    name: bytes = b"",
    fog: float = 0.5,
    strength: float = 1.0,
    effects: Sequence[bytes] = (),
) -> bytes:
    """A keyframe at an hour and a minute, with colors (red, green, blue, perhaps alpha) by their slots."""
    slots = [bytes(4)] * 22
    for slot, (red, green, blue, *alpha) in (colors or {}).items():
        slots[slot] = bytes((blue, green, red, *(alpha or (255,))))
    slots[6] = struct.pack("<f", fog)
    names = b"".join(map(text, (name, *[b""] * 5)))
    floats = struct.pack("<4f", 2, 1.5, strength, 0)
    listed = struct.pack("<i", len(effects)) + b"".join(map(text, effects))
    return (
        struct.pack("<i", 3)
        + time(*at)
        + struct.pack("<i", event)
        + b"".join(slots)
        + names
        + (floats + listed)
    )


def section(*keyframes: bytes, hours: int = 0, minutes: int = 15, count: int | None = None) -> bytes:
    stated = struct.pack("<2i", 1, len(keyframes) if count is None else count)
    return stated + time(23, 59) + time(hours, minutes) + b"".join(keyframes)


def sky(*sections: bytes, hour: int = 6, minute: int = 30, start: int = 0) -> bytes:
    head = struct.pack("<3i", -1, 5, len(sections))
    return head + b"".join(sections) + time(hour, minute, start) + struct.pack("<2i", 0, 1)


DAWN = keyframe((6, 0), 0, {20: (40, 80, 120), 19: (100, 50, 25), 21: (10, 20, 30)}, name=b"sun")
DUSK = keyframe((18, 30), 1, {20: (120, 40, 60), 19: BLACK, 21: (30, 20, 10)}, effects=[b"wind.wav", b"fly"])
SKY = sky(section(DAWN, DUSK))
"""Two keyframes, at 6:00 and 18:30, between which the sun passes."""
