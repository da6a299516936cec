"""The effect of a node that is destroyed: a flash, flames and a trail of sparks."""

from __future__ import annotations

from viewer.formats.fxid import COMMAND_KINDS, ENABLED, HEADER
from viewer.formats.text import padded

LIGHT, PARTICLE, TRAIL = 1, 3, 5
NAME_SIZE = 32
FRACTION_OF_AGE = 1
DELETE_AT_THE_END = 0x0002


def blast_bytes() -> bytes:
    """The effect, of materials of the sample."""
    header = HEADER.new()
    header["time_mode"], header["flags"] = FRACTION_OF_AGE, DELETE_AT_THE_END
    header["duration"], header["scale"] = 1.5, 1.0
    commands = (_flash(), _flames(), _sparks())
    header["command_count"] = len(commands)
    return header.tobytes() + b"".join(commands)


def _flash() -> bytes:
    return _command(
        LIGHT, None, start=0.0, end=0.3, color=(1.0, 0.8, 0.5),
        parameter_min=(6.0, 0.0, 0.0, 0.0), parameter_max=(12.0, 0.0, 0.0, 0.0),
    )  # fmt: skip


def _flames() -> bytes:
    return _command(
        PARTICLE, "FLAME", alpha_source=-1.0, out_min=0.0, out_max=1.0, out_power=1.0,
        active_start=0.0, active_end=0.8,
        set0_min=(0.5, 0.5, 0.5), set0_max=(2.5, 2.5, 2.5), set0_power=(0.5, 0.5, 0.5),
    )  # fmt: skip


def _sparks() -> bytes:
    return _command(
        TRAIL, "HALO", active_start=0.1, active_end_min=0.6, active_end_max=1.0,
        max_segments=8, step=0.05, segment_length=0.3, alpha_source=-1.0, power=1.0,
    )  # fmt: skip


def _command(opcode: int, material: str | None, **values: object) -> bytes:
    """An enabled command that shows a material of the library."""
    row = COMMAND_KINDS[opcode].record.new()
    row["word"] = opcode | ENABLED
    for name, value in values.items():
        row[name] = value
    if material:
        row["archive"], row["resource"] = (
            padded(b"Material.lib", NAME_SIZE),
            padded(material.encode("ascii"), NAME_SIZE),
        )
    return row.tobytes()
