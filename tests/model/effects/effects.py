"""Effects made by tests: of blocks with given fields, and at random."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from viewer.formats.fxid import COMMAND_KINDS, HEADER

ONE = (1.0, 1.0, 1.0)
SPRITE: dict[str, Any] = {
    "window_end": 1, "phase_power": 1, "fade_start": 1, "fade_end": 1, "fade_power": 1,
    "position_exponents": ONE,
    "direction_start": (1, 0, 0), "direction_end": (1, 0, 0), "size_low": ONE, "size_high": ONE,
    "size_exponents": ONE,
}  # fmt: skip
PARTICLES: dict[str, Any] = {
    "window_end": 1, "fade_start": 1, "fade_end": 1, "fade_power": 1, "position_exponents": ONE,
    "size_low": ONE,
    "size_high": ONE, "size_exponents": ONE,
}  # fmt: skip
BURST: dict[str, Any] = PARTICLES | {"life": 1, "phase_rate": 1, "count_0": 2, "count_1": 3}
STREAM: dict[str, Any] = PARTICLES | {
    "interval_start": 0.1, "interval_end": 0.1, "phase_exponent": 1, "ring": 12
}  # fmt: skip
BOLT: dict[str, Any] = {
    "window_end": 1, "fade_start": 1, "fade_end": 1, "most_pieces": 20, "width_start": 1, "width_end": 1,
    "repeat": 5, "segment": 50,
}  # fmt: skip
LIGHT: dict[str, Any] = {
    "mode": 5, "window_end": 1, "direction_start": (1, 0, 0), "direction_end": (1, 0, 0),
    "color_start": (1, 1, 1, 1),
    "color_end": (1, 1, 1, 1), "range_start": 8, "range_end": 8, "attenuation": (0, 1, 0),
}  # fmt: skip
SOUND: dict[str, Any] = {"mode": 2, "window_end": 1, "near": 20, "far": 200, "playback_rate_start": 1}


def block(opcode: int, name: bytes = b"FLAME", **values: Any) -> bytes:
    """A block with these fields; it names a material, or nothing."""
    row = COMMAND_KINDS[opcode].record.new()
    row["word"] = opcode
    if name and opcode != 1:
        row["archive"], row["resource"] = (
            np.void(b"Material.lib".ljust(32, b"\0")),
            np.void(name.ljust(32, b"\0")),
        )
    for field, value in values.items():
        row[field] = value
    return row.tobytes()


def effect(*blocks: bytes, **values: Any) -> bytes:
    """An effect of some blocks; by default its time is its normalized age, over two seconds."""
    header = HEADER.new()
    header["command_count"] = len(blocks)
    header["time_mode"], header["duration"], header["scale"] = 1, 2.0, 1.0
    for field, value in values.items():
        header[field] = value
    return header.tobytes() + b"".join(blocks)


FLAGS = (0, 0, 1, 0x20, 0x200, 0x220, 0x21, 2, 0x22, 0x202, 0x40, 0x80, 0x100)
"""Flags of the header that change what is shown; 0 is as likely as all others are rare."""


def random_effect(seed: int) -> bytes:
    """An effect of blocks of every kind, some without names, with values in the ranges of the game's."""
    chance = np.random.default_rng(seed)
    blocks = [_random_block(chance, opcode) for opcode in (1, 3, 4, 5, 7, 8, 9, 10, 3, 8, 7, 2, 6)]
    flags = chance.choice(FLAGS)
    return effect(
        *blocks,
        time_mode=chance.choice([*range(5), 5, 9, 13, 14, 15, 16, 17]),
        duration=chance.choice([0.0, 0.75, 1.5, 3.0]),
        time_jitter=chance.choice([0.1, 0.2]),
        flags=flags,
        scale=chance.uniform(0.2, 2, 3),
    )


def _random_block(chance: np.random.Generator, opcode: int) -> bytes:
    ranges: dict[str, Callable[[Any], Any]] = {
        "exponents": lambda size: chance.choice([0.5, 1.0, 1.0, 2.0], size),
        "power": lambda _: chance.choice([0.5, 1.0, 2.0]),
        "jitter": lambda size: chance.uniform(0, 2, size),
        "low": lambda size: chance.uniform(-2, 2, size),
        "high": lambda size: chance.uniform(-2, 4, size),
    }
    values: dict[str, Any] = {"word": opcode | 0x100 * chance.integers(2)}
    if opcode == 6:
        return block(6, b"", **values)
    for field in COMMAND_KINDS[opcode].record.fields:
        if not field.is_float or field.name.startswith("unknown"):
            continue
        made = ranges.get(field.name.rpartition("_")[2])
        values[field.name] = made(field.shape) if made else chance.uniform(0, 2, field.shape or None)
    values["window_start"] = chance.choice([0.0, 0.1, 0.3])
    values["window_end"] = chance.choice([0.9, 1.0, 1.0, values["window_start"]])
    values |= {
        3: {"mode": chance.choice([0, 1, 2, 3]), "phase_start": chance.choice([-1.0, 0.25])},
        4: {"mode": chance.choice([0, 1]), "reach": chance.uniform(1, 30)},
        1: {"mode": chance.choice([1, 5, 6, 7])},
        5: {
            "most_pieces": 20, "segment": chance.uniform(0.5, 5), "repeat": chance.uniform(1, 5),
            "phase_start": chance.choice([-1.0, 0.25]),
        },
        9: {"mode": 2, "shape": chance.choice([0, 1, 2, 3]), "phase_start": -1.0},
        7: _counts(chance),
        10: _counts(chance),
        8: {
            "interval_start": chance.uniform(0.01, 0.2), "interval_end": chance.uniform(0.005, 0.1),
            "ring": chance.integers(6, 40), "phase_exponent": chance.choice([-1.0, 1.0, 2.0]),
        },
    }.get(opcode, {})  # fmt: skip
    return block(opcode, b"FLAME" if opcode == 5 or chance.random() < 0.95 else b"", **values)


def _counts(chance: np.random.Generator) -> dict[str, Any]:
    return {
        "count_0": chance.integers(1, 6), "count_1": chance.integers(1, 6), "life": chance.uniform(0.2, 1.2),
        "phase_rate": chance.choice([-1.0, 0.6, 0.8, 1.0, 1.5]),
    }  # fmt: skip
