"""The effect of a node that is destroyed: a flash, a light, flames that fly apart and smoke."""

from __future__ import annotations

from typing import Any

from viewer.formats.fxid import COMMAND_KINDS, HEADER
from viewer.formats.text import padded

LIGHT, SPRITE, BURST = 1, 3, 7
NAME_SIZE = 32
LIBRARY = b"Material.lib"
NORMALIZED_AGE = 1
DELETED_AT_THE_END = 0x0002
EVERYTHING = 5
ONE = (1.0, 1.0, 1.0)


def blast_bytes() -> bytes:
    """The effect, of materials of the sample."""
    header = HEADER.new()
    header["time_mode"], header["flags"] = NORMALIZED_AGE, DELETED_AT_THE_END
    header["duration"], header["scale"] = 1.5, 1.0
    commands = (_light(), _flash(), _flames())
    header["command_count"] = len(commands)
    return header.tobytes() + b"".join(commands)


def _light() -> bytes:
    return _command(
        LIGHT, None, mode=EVERYTHING, window_start=0.0, window_end=0.3, direction_start=(1.0, 0.0, 0.0),
        direction_end=(1.0, 0.0, 0.0), color_start=(1.0, 0.8, 0.5, 1.0), color_end=(0.4, 0.1, 0.0, 1.0),
        range_start=12.0, range_end=6.0, attenuation=(0.0, 1.0, 0.0),
    )  # fmt: skip


def _flash() -> bytes:
    return _command(
        SPRITE, "HALO", window_start=0.0, window_end=0.4, fade_start=1.0, fade_power=1.0, phase_power=1.0,
        size_low=(0.5, 0.5, 0.5), size_high=(5.0, 5.0, 5.0), size_exponents=(0.5, 0.5, 0.5),
        position_exponents=ONE, direction_start=(1.0, 0.0, 0.0), direction_end=(1.0, 0.0, 0.0),
    )  # fmt: skip


def _flames() -> bytes:
    return _command(
        BURST, "FLAME", window_start=0.0, window_end=1.0, life=0.8, phase_rate=1.0, count_0=4, count_1=4,
        fade_start=1.0, fade_power=2.0, position_high=(0.0, 0.0, 1.5), position_jitter=(5.0, 5.0, 3.0),
        position_exponents=(0.5, 0.5, 1.0), size_low=(0.4, 0.4, 0.4), size_high=(1.6, 1.6, 1.6),
        size_jitter=(0.6, 0.6, 0.6), size_exponents=ONE,
    )  # fmt: skip


def _command(opcode: int, material: str | None, **values: Any) -> bytes:
    """A command that shows a material of the library."""
    row = COMMAND_KINDS[opcode].record.new()
    row["word"] = opcode
    for name, value in values.items():
        row[name] = value
    if material:
        row["archive"] = padded(LIBRARY, NAME_SIZE)
        row["resource"] = padded(material.encode("ascii"), NAME_SIZE)
    return row.tobytes()
