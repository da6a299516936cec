"""The effects of the sample, which have blocks of every kind that draws or lights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assets.sample.neighbors.damage import EFFECTS
from assets.sample.registered import BLAST
from viewer.formats.neighbors.explosion import HEADER as EXPLOSION
from viewer.formats.neighbors.explosion import SLOT, SLOT_COUNT, SURFACES
from viewer.formats.text import padded
from viewer.model.effects.blocks import BOLT, BURST, DEBRIS, DOME, GLOW, LIGHT, SPRITE, STREAM
from viewer.model.effects.templates import new_block, new_effect

NAME_SIZE = 32
AGE, ROUND, NODE_VALUE, SPEED = 1, 2, 4, 15
DELETED_AT_THE_END, PING_PONG, FROM_TARGET = 0x0002, 0x0020, 0x1000
BLAST_KIND = 3
ALONG, FIXED = 1, 2
UP = (0.0, 0.0, 1.0)


def effects() -> Mapping[str, bytes]:
    """All effects by name, of materials of the sample."""
    return {
        BLAST: _effect(
            1.5, AGE, DELETED_AT_THE_END,
            _light(12.0, 6.0, window_end=0.3, color_end=(0.4, 0.1, 0.0, 1.0)),
            _block(SPRITE, "HALO", window_end=0.4, fade_end=0.0, size_low=_all(0.5), size_high=_all(5.0),
                    size_exponents=_all(0.5)),
            _block(BURST, "FIRE", life=0.8, phase_rate=1.0, count_0=4, count_1=4, fade_power=2.0,
                       position_high=(0.0, 0.0, 1.5), position_jitter=(5.0, 5.0, 3.0),
                       position_exponents=(0.5, 0.5, 1.0), size_low=_all(0.4), size_high=_all(1.6),
                       size_jitter=_all(0.6)),
            _block(DEBRIS, "SMOKE", window_start=0.15, life=0.9, phase_rate=-1.0, count_0=3, count_1=4,
                       fade_start=0.7, position_high=(0.0, 0.0, 3.0), position_jitter=(4.0, 4.0, 2.0),
                       position_exponents=(0.5, 0.5, 1.0), size_low=_all(0.6), size_high=_all(2.4),
                       size_jitter=_all(0.8)),
        ),
        "engine": _effect(
            1.0, SPEED, 0,
            _block(GLOW, "HALO", reach=200.0, size_low=_all(0.6), size_high=_all(1.8)),
            _block(SPRITE, "ENGINE_GLOW", mode=ALONG, phase_start=-1.0, phase_end=3.0,
                    position_low=(0.0, -0.3, 0.0), position_high=(0.0, -1.2, 0.0),
                    direction_start=(0.0, -1.0, 0.0), direction_end=(0.0, -1.0, 0.0),
                    size_low=(0.4, 0.6, 0.4), size_high=(0.9, 2.6, 0.9)),
            _light(2.0, 5.0, direction_start=(0.0, -1.0, 0.0), direction_end=(0.0, -1.0, 0.0)),
        ),
        "smoke": _effect(
            2.0, ROUND, 0,
            _block(STREAM, "SMOKE", interval_start=0.08, interval_end=0.08, phase_exponent=1.0, ring=32,
                       fade_start=0.8, position_high=(0.4, 0.0, 5.0), position_jitter=(1.6, 1.6, 1.0),
                       size_low=_all(0.5), size_high=_all(2.6), size_jitter=_all(0.6)),
        ),
        "exhaust": _effect(
            1.0, SPEED, 0,
            _block(STREAM, "SMOKE", interval_start=0.1, interval_end=0.04, phase_exponent=1.0, ring=24,
                       fade_start=1.0, position_high=(2.4, 0.0, -1.0), position_jitter=(0.6, 0.6, 0.8),
                       size_low=_all(0.2), size_high=_all(1.1), size_jitter=_all(0.3)),
            _block(GLOW, "HALO", reach=60.0, window_start=0.2, fade_start=0.5, fade_end=1.0,
                    size_low=_all(0.4), size_high=_all(1.0)),
        ),
        "dust": _effect(
            1.0, SPEED, 0,
            _block(STREAM, "SMOKE", window_start=0.2, interval_start=0.1, interval_end=0.03,
                       phase_exponent=1.0, ring=24, fade_start=1.0, fade_power=0.7,
                       position_high=(0.8, 0.0, 0.0), position_jitter=(0.8, 3.6, 3.6), size_low=_all(0.5),
                       size_high=_all(2.2), size_jitter=_all(0.6)),
        ),
        "step": _effect(
            0.6, AGE, DELETED_AT_THE_END,
            _block(BURST, "SMOKE", life=1.0, phase_rate=-1.0, count_0=2, count_1=6, fade_start=1.0,
                       position_high=(0.4, 0.0, 0.0), position_jitter=(0.4, 2.6, 2.6),
                       position_exponents=(1.0, 0.5, 0.5), size_low=_all(0.5), size_high=_all(1.8),
                       size_jitter=_all(0.4)),
        ),
        "muzzle": _effect(
            0.4, AGE, DELETED_AT_THE_END,
            _block(SPRITE, "ENGINE_GLOW", mode=ALONG, fade_end=0.0, position_low=(0.3, 0.0, 0.0),
                    position_high=(1.2, 0.0, 0.0), size_low=_all(0.5), size_high=(2.4, 0.8, 0.8)),
            _block(SPRITE, "HALO", window_end=0.6, fade_end=0.0, size_low=_all(1.4), size_high=_all(0.6)),
            _light(4.0, 1.0, window_end=0.6),
        ),
        "laser": _effect(
            0.75, AGE, FROM_TARGET,
            _block(BOLT, "ENGINE_GLOW", window_end=1.0, fade_start=1.0, fade_end=0.0, most_pieces=20,
                   width_start=0.4, width_end=0.2, repeat=5.0, segment=4.0),
            _block(BOLT, "HALO", window_end=1.0, fade_start=1.0, fade_end=0.2, most_pieces=20,
                   width_start=0.15, width_end=0.1, repeat=5.0, segment=4.0),
        ),
        "shield": _effect(
            2.0, ROUND, PING_PONG,
            *(
                _block(DOME, "SHIELD", mode=FIXED, shape=1, is_faceted=1, fade_start=0.2, fade_end=0.7,
                        direction_start=it, direction_end=it, size_low=_all(1.0), size_high=_all(1.1))
                for it in (UP, (0.0, 0.0, -1.0))
            ),
        ),
        "beacon": _effect(
            1.2, NODE_VALUE, 0,
            _light(3.0, 8.0, color_jitter=(0.2, 0.05, 0.05, 0.0), range_jitter=0.5),
            _block(SPRITE, "HALO", fade_start=0.2, size_low=_all(0.5), size_high=_all(1.0)),
        ),
    }  # fmt: skip


def explosion() -> bytes:
    """A blast half as large again as its node, of another effect on snow and on water."""
    header, rows = EXPLOSION.new(), SLOT.new(SLOT_COUNT)
    header["kind"], header["damage"], header["radius"], header["unread"] = BLAST_KIND, 40.0, 1.5, 1.0
    rows["archive"] = padded(EFFECTS.encode("ascii"), NAME_SIZE)
    rows["effect"] = padded(BLAST.encode("ascii"), NAME_SIZE)
    for surface in ("sn", "wt"):
        rows["effect"][1 + SURFACES.index(surface)] = padded(b"smoke", NAME_SIZE)
    return header.tobytes() + rows.tobytes()


def _effect(duration: float, mode: int, flags: int, *blocks: bytes) -> bytes:
    return new_effect(*blocks, duration=duration, time_mode=mode, flags=flags)


def _all(value: float) -> tuple[float, float, float]:
    return value, value, value


def _light(near: float, far: float, **values: Any) -> bytes:
    return new_block(LIGHT, range_start=near, range_end=far, **values)


def _block(opcode: int, material: str, **values: Any) -> bytes:
    return new_block(opcode, material.encode("ascii"), **values)
