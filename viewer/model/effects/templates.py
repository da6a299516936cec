"""New blocks with usual values, and new effects to start from.

Source: spec/effects.md 2, 3, 6, 13.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct

from viewer.formats.fxid import COMMAND_KINDS, HEADER, REFERENCE
from viewer.formats.text import padded
from viewer.model.effects.blocks import BOLT, BURST, DEBRIS, DOME, GLOW, LIGHT, SOUND, SPRITE, STREAM
from viewer.model.effects.clock import AGE, FRACTION, EffectFlag

MATERIALS: Final = b"Material.lib"
SOUNDS: Final = b"sounds.lib"
"""The archive that blocks name: sounds the one, those that are drawn the other."""
ONE: Final = (1.0, 1.0, 1.0)
X: Final = (1.0, 0.0, 0.0)
Values = dict[str, Any]
_DRAWN: Final[Values] = {
    "window_end": 1.0, "fade_start": 1.0, "fade_power": 1.0, "position_exponents": ONE, "size_low": ONE,
    "size_high": ONE, "size_exponents": ONE,
}  # fmt: skip
_SPRITE: Final[Values] = _DRAWN | {
    "fade_end": 1.0,
    "phase_power": 1.0,
    "direction_start": X,
    "direction_end": X,
}
_BURST: Final[Values] = _DRAWN | {
    "life": 1.0, "phase_rate": 1.0, "count_0": 4, "count_1": 4, "position_jitter": (2.0, 2.0, 2.0)
}  # fmt: skip
USUAL: Final[Mapping[int, Values]] = {
    # Kind 5 is that of 416 of the game's 618 lights, attenuation (0, 1, 0) that of 447 (effects.md 6).
    LIGHT: {
        "mode": 5, "window_end": 1.0, "direction_start": X, "direction_end": X, "range_start": 5.0,
        "color_start": (1.0, 0.8, 0.5, 1.0), "color_end": (1.0, 0.8, 0.5, 1.0), "range_end": 5.0,
        "attenuation": (0.0, 1.0, 0.0),
    },
    SOUND: {
        "window_end": 1.0, "near": 20.0, "far": 200.0, "playback_rate_start": 1.0, "playback_rate_end": 1.0
    },
    SPRITE: _SPRITE,
    GLOW: _SPRITE | {"reach": 500.0},
    BOLT: {
        "window_end": 1.0, "fade_start": 1.0, "fade_end": 1.0, "most_pieces": 20, "width_start": 0.4,
        "width_end": 0.4, "repeat": 5.0, "segment": 50.0,
    },
    BURST: _BURST,
    STREAM: _DRAWN | {"interval_start": 0.1, "interval_end": 0.1, "phase_exponent": 1.0, "ring": 20},
    DOME: _SPRITE | {"mode": 2},
    DEBRIS: _BURST,
}  # fmt: skip
"""The values of the fields of a new block that are not 0, by opcode: it shows something in the whole time."""


def new_block(opcode: int, material: bytes = b"", /, **values: Any) -> bytes:
    """The bytes of a block with its usual values, but for some.

    Parameters
    ----------
    material
        What it draws, or the sound; empty for nothing.
    """
    kind = COMMAND_KINDS[opcode]
    row = kind.record.new()
    row["word"] = opcode
    for name, value in {**USUAL.get(opcode, {}), **values}.items():
        row[name] = value
    if kind.needs_reference:
        archive = SOUNDS if opcode == SOUND else MATERIALS
        for name, text in zip(REFERENCE, (archive, material), strict=True):
            row[name] = padded(text, kind.record.field(name).size)
    return row.tobytes()


def new_effect(*blocks: bytes, **values: Any) -> bytes:
    """The bytes of an effect of some blocks, whose header has the usual values, but for some."""
    header = HEADER.new()
    usual: Values = {"time_mode": AGE, "duration": 1.0, "scale": ONE, "command_count": len(blocks)}
    for name, value in {**usual, **values}.items():
        header[name] = value
    return header.tobytes() + b"".join(blocks)


class EffectTemplate(Struct, frozen=True):
    """An effect to start from: values of its header, and opcode and values of each of its blocks."""

    header: Values
    blocks: tuple[tuple[int, Values], ...]

    def made(self, materials: Mapping[int, bytes], usual: bytes = b"") -> bytes:
        """The bytes of the effect, from the material of each opcode, or the usual one; lights have none."""
        names = {opcode: b"" if opcode == LIGHT else usual for opcode, _values in self.blocks} | {**materials}
        blocks = (new_block(opcode, names[opcode], **it) for opcode, it in self.blocks)
        return new_effect(*blocks, **self.header)


class TemplateName(StrEnum):
    """The kinds of new effects."""

    GLOW = "glow"
    SMOKE = "smoke"
    FLASH = "flash"
    EXPLOSION = "explosion"
    DOME = "dome"
    BOLT = "bolt"
    LIGHT = "light"


def _all(value: float) -> tuple[float, float, float]:
    return value, value, value


_ROUND: Final[Values] = {"time_mode": FRACTION, "duration": 2.0}
_PULSE: Final[Values] = _ROUND | {"flags": EffectFlag.PING_PONG}
TEMPLATES: Final[Mapping[TemplateName, EffectTemplate]] = MappingProxyType({
    TemplateName.GLOW: EffectTemplate(
        _PULSE, ((GLOW, {"reach": 50.0, "fade_start": 0.5, "size_low": _all(0.5), "size_high": _all(3.0)}),)
    ),
    TemplateName.SMOKE: EffectTemplate(
        _ROUND,
        (
            (
                STREAM,
                {
                    "interval_start": 0.08, "interval_end": 0.08, "ring": 32, "fade_start": 0.8,
                    "position_high": (0.4, 0.0, 5.0), "position_jitter": (1.6, 1.6, 1.0),
                    "size_low": _all(0.5), "size_high": _all(2.6), "size_jitter": _all(0.6),
                },
            ),
        ),
    ),
    TemplateName.FLASH: EffectTemplate(
        {"duration": 0.4, "flags": EffectFlag.DELETED},
        (
            (SPRITE, {"mode": 1, "fade_end": 0.0, "position_low": (0.3, 0.0, 0.0), "size_low": _all(0.5),
                      "position_high": (1.2, 0.0, 0.0), "size_high": (2.4, 0.8, 0.8)}),
            (SPRITE, {"window_end": 0.6, "fade_end": 0.0, "size_low": _all(1.4), "size_high": _all(0.6)}),
            (LIGHT, {"window_end": 0.6, "range_start": 4.0, "range_end": 1.0}),
        ),
    ),
    TemplateName.EXPLOSION: EffectTemplate(
        {"duration": 1.5, "flags": EffectFlag.DELETED},
        (
            (LIGHT, {"window_end": 0.3, "range_start": 12.0, "range_end": 6.0}),
            (SPRITE, {"window_end": 0.4, "fade_end": 0.0, "size_low": _all(0.5), "size_high": _all(5.0),
                      "size_exponents": _all(0.5)}),
            (BURST, {"life": 0.8, "fade_power": 2.0, "position_high": (0.0, 0.0, 1.5),
                     "position_jitter": (5.0, 5.0, 3.0), "position_exponents": (0.5, 0.5, 1.0),
                     "size_low": _all(0.4), "size_high": _all(1.6), "size_jitter": _all(0.6)}),
        ),
    ),
    # Two half balls of opposite direction are a ball, as 122 domes of the game are (effects.md 6).
    TemplateName.DOME: EffectTemplate(
        _PULSE,
        tuple(
            (DOME, {"shape": 1, "is_faceted": 1, "fade_start": 0.2, "fade_end": 0.7, "size_high": _all(1.1),
                    "direction_start": it, "direction_end": it})
            for it in ((0.0, 0.0, 1.0), (0.0, 0.0, -1.0))
        ),
    ),
    TemplateName.BOLT: EffectTemplate(
        {"duration": 0.75, "flags": EffectFlag.FROM_TARGET},
        ((BOLT, {"fade_end": 0.0, "width_end": 0.2, "segment": 4.0}),),
    ),
    TemplateName.LIGHT: EffectTemplate(_PULSE, ((LIGHT, {"range_start": 3.0, "range_end": 8.0}),)),
})  # fmt: skip
