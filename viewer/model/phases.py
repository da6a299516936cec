"""Animation of a material: which phases show at a time, and how their fields are mixed.

The time of a key is where its segment ends: it shows from the end of the key before it, and the last
key's time is the length of the cycle.

Source: spec/materials.md 4.4.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from math import floor
from typing import Final

from viewer.model.materials import Block, Color, Mask, Material, Mode, Phase

WORD: Final = 1 << 32
"""Times of the game wrap here, in milliseconds."""
UNDEFINED_SHARE: Final = 0.5
"""What the game takes where a segment has no length."""


@dataclass(frozen=True, slots=True)
class PhaseState:
    """A material at one moment.

    Attributes
    ----------
    phase
        The phase whose texture, alphas and power show.
    key
        The key that is being left, `share` how far on the way to the next, 0 to 1.
    """

    ambient: Color
    diffuse: Color
    specular: Color
    emissive: Color
    power: int
    is_lit: bool
    phase: int
    key: int = 0
    share: float = 0.0


def state_at(material: Material, milliseconds: float, block: int = 0, seed: int = 0) -> PhaseState:
    """The material some time after its animation started, in milliseconds.

    A `block` that it does not have, or that has no keys, leaves phase 0. What is random depends on
    `seed` and the time alone.
    """
    keys = material.blocks[block].keys if 0 <= block < len(material.blocks) else ()
    if not keys:
        return _state(material.phases[0], material.phases[0], 0, 0, 0.0, 0)
    chosen = material.blocks[block]
    key, share = position(chosen, milliseconds, seed)
    last = len(material.phases) - 1
    phase = min(keys[key].phase, last)
    following = min(keys[(key + 1) % len(keys)].phase, last)
    return _state(material.phases[phase], material.phases[following], phase, key, share, chosen.mask)


def position(block: Block, milliseconds: float, seed: int = 0) -> tuple[int, float]:
    """The key that shows at a time and how far on the way to the next, 0 to 1; the block has keys."""
    local = floor(milliseconds) % WORD
    cycle = duration(block)
    last = len(block.keys) - 1
    if cycle == 0:
        return (last if block.mode == Mode.ONCE else 0), 0.0
    turn, rest = divmod(local, cycle)
    if block.mode == Mode.ONCE and turn > 0:
        return last, 0.0
    if block.mode == Mode.PING_PONG and turn % 2 == 1:
        rest = cycle - rest
    if block.mode == Mode.RANDOM:
        rest = (local - _random(seed, turn) % cycle) % WORD % cycle
    return _segment(block, rest)


def duration(block: Block) -> int:
    """Length of a cycle in milliseconds; 0 for a block that stands still."""
    return block.keys[-1].time if block.keys else 0


def starts(block: Block) -> tuple[int, ...]:
    """Where the segment of each key starts, in milliseconds."""
    return (0, *(key.time for key in block.keys[:-1]))


def _segment(block: Block, time: int) -> tuple[int, float]:
    """The key whose segment a time lies in, and how much of it has passed."""
    last = len(block.keys) - 1
    key = next((index for index, item in enumerate(block.keys) if time < item.time), last)
    start = block.keys[key - 1].time if key else 0
    length = block.keys[key].time - start
    return key, (time - start) / length if length else UNDEFINED_SHARE


def _random(seed: int, turn: int) -> int:
    """A number that looks random and is the same every time."""
    return zlib.crc32((seed % WORD).to_bytes(4, "little") + turn.to_bytes(4, "little"))


def _state(a: Phase, b: Phase, phase: int, key: int, share: float, mask: int) -> PhaseState:
    return PhaseState(
        ambient=_mixed(a.ambient, b.ambient, share, mask & Mask.AMBIENT, mask & Mask.AMBIENT_ALPHA),
        diffuse=_mixed(a.diffuse, b.diffuse, share, mask & Mask.DIFFUSE),
        specular=_mixed(a.specular, b.specular, share, mask & Mask.SPECULAR),
        emissive=_mixed(a.emissive, b.emissive, share, mask & Mask.EMISSIVE),
        power=a.power,
        is_lit=a.is_lit,
        phase=phase,
        key=key,
        share=share,
    )


def _mixed(a: Color, b: Color, share: float, has_color: int, has_alpha: int = 0) -> Color:
    """Colour `a` on its way to `b`; the channels that are not asked for stay."""
    red, green, blue = (x + (y - x) * share if has_color else x for x, y in zip(a[:3], b[:3], strict=True))
    return red, green, blue, a[3] + (b[3] - a[3]) * share if has_alpha else a[3]
