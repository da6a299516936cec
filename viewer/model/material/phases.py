"""Animation of a material: the phases shown at a time, and how their fields are mixed.

The time of a key is the end of its segment: it shows from the end of the previous key, and the last
key's time is the length of the cycle, as in the game; so the last key blends towards key 0.

Source: spec/materials.md 4.4; spec/field-notes.md 4.
"""

from __future__ import annotations

import zlib
from functools import lru_cache
from itertools import chain
from math import floor
from typing import Final, NamedTuple

from msgspec import Struct

from viewer.model.material.materials import BlendMask, Block, BlockKey, Color, Material, Mode, Phase

WORD: Final = 1 << 32
"""Times of the game wrap at this value, milliseconds."""
UNDEFINED_SHARE: Final = 0.5
"""Length that the game uses for a segment of length 0."""
BLENDED: Final[int] = sum(BlendMask)
"""Known bits of a mask."""
# As plain numbers: an operator on a flag takes longer than blending a color, in every frame.
_AMBIENT, _DIFFUSE, _SPECULAR, _EMISSIVE, _AMBIENT_ALPHA = map(
    int,
    (
        BlendMask.AMBIENT,
        BlendMask.DIFFUSE,
        BlendMask.SPECULAR,
        BlendMask.EMISSIVE,
        BlendMask.AMBIENT_ALPHA,
    ),
)


class PhaseMoment(NamedTuple):
    """A position in a block: the current key, and the fraction of the way to the next, 0 to 1."""

    key: int
    share: float = 0.0


class Segment(NamedTuple):
    """The time range of a key, milliseconds from the start of the cycle."""

    key: int
    start: int
    end: int


class PhaseState(Struct, frozen=True, eq=False):
    """The state of a material at one time.

    Attributes
    ----------
    phase
        The phase whose texture, alphas and power are used.
    moment
        Its position in its block; not compared, so states that look the same are equal.
    """

    ambient: Color
    diffuse: Color
    specular: Color
    emissive: Color
    power: int
    is_lit: bool
    phase: int
    moment: PhaseMoment

    @property
    def _look(self) -> tuple[object, ...]:
        colors = self.ambient, self.diffuse, self.specular, self.emissive
        return *colors, self.power, self.is_lit, self.phase

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PhaseState) and self._look == other._look

    def __hash__(self) -> int:
        return hash(self._look)


def state_at(material: Material, milliseconds: float, block: int = 0, seed: int = 0) -> PhaseState:
    """The state of a material `milliseconds` after its animation started.

    A `block` that it does not have, or that has no keys, gives phase 0. Randomness depends only on
    `seed` and the time.
    """
    if not has_keys(material, block):
        return state_of(material, PhaseMoment(0), block)
    return state_of(material, moment_at(material.blocks[block], milliseconds, seed), block)


def state_of(material: Material, moment: PhaseMoment, block: int = 0) -> PhaseState:
    """The state of a material at a moment of a block; phase 0 if the block has no such key."""
    keys = _keys(material, block)
    if moment.key >= len(keys):
        return _state(material.phases[0], material.phases[0], 0, PhaseMoment(0), 0)
    phase = phase_of(material, block, moment.key)
    following = phase_of(material, block, (moment.key + 1) % len(keys))
    return _state(
        material.phases[phase], material.phases[following], phase, moment, material.blocks[block].mask
    )


def phase_of(material: Material, block: int, key: int) -> int:
    """The phase of a key; the last one if there is no such phase."""
    return min(material.blocks[block].keys[key].phase, len(material.phases) - 1)


def moment_at(block: Block, milliseconds: float, seed: int = 0) -> PhaseMoment:
    """The moment of a block after a time; the block has keys. Unknown modes loop."""
    # The game counts in 32 bits: after 49.7 days it begins at 0 again (spec/materials.md 4).
    local = floor(milliseconds) % WORD
    cycle = duration(block)
    last = len(block.keys) - 1
    if cycle == 0:
        return PhaseMoment(last if block.mode == Mode.ONCE else 0)
    turn, rest = divmod(local, cycle)
    if block.mode == Mode.ONCE and turn > 0:
        return PhaseMoment(last)
    if block.mode == Mode.PING_PONG and turn % 2 == 1:
        # A cycle of 100 at 130: one turn and 30, shown backwards, is 70.
        rest = cycle - rest
    if block.mode == Mode.RANDOM:
        # Unsigned as in the game: 3 - 5 wraps to 0xFFFFFFFE before the remainder.
        rest = (local - _random(seed, turn) % cycle) % WORD % cycle
    return moment_in(block, rest)


def moment_in(block: Block, time: float) -> PhaseMoment:
    """The moment at `time`, milliseconds from the start of the cycle, in any mode; the block has keys."""
    last = len(block.keys) - 1
    # The game takes the first key whose end is beyond the time, so one that ends before its predecessor never
    # shows.
    key = next((index for index, item in enumerate(block.keys) if time < item.time), last)
    start, length = _segment(block, key)
    return PhaseMoment(key, (time - start) / length if length else UNDEFINED_SHARE)


def time_of(block: Block, moment: PhaseMoment) -> float:
    """The time of a moment, milliseconds from the start of the cycle."""
    start, length = _segment(block, moment.key)
    return start + length * moment.share


def duration(block: Block) -> int:
    """Length of a cycle, milliseconds; 0 for a block that is not animated."""
    return block.keys[-1].time if block.keys else 0


@lru_cache(maxsize=32)  # asked for in every frame
def segments(block: Block) -> tuple[Segment, ...]:
    """The segments of a cycle in order, without those of no length."""
    found: list[Segment] = []
    end, cycle = 0, duration(block)
    for number, (_, time) in enumerate(block.keys):
        # Ends 100, 80, 200: key 1 is over before it begins and is left out, key 2 shows from 100 to 200.
        if time > end:
            # What follows the last key's time is never reached, as that time is the length of the cycle.
            if end < cycle:
                found.append(Segment(number, end, time))
            end = time
    return tuple(found)


@lru_cache(maxsize=32)
def shown_keys(block: Block) -> tuple[int, ...]:
    """The keys that a block shows at any time, ascending."""
    shown = {segment.key for segment in segments(block)}
    # Played once, a block holds its last key in the end, even if the segment of that has no length.
    if block.keys and (block.mode == Mode.ONCE or not shown):
        shown.add(len(block.keys) - 1 if block.mode == Mode.ONCE else 0)
    return tuple(sorted(shown))


def period(material: Material, block: int) -> int:
    """Period of a block of a material, milliseconds; 0 if it is not animated.

    For ping-pong that is forwards and backwards.
    """
    if not _keys(material, block):
        return 0
    chosen = material.blocks[block]
    shown = shown_keys(chosen)
    # Only where fields are blended does the next key's phase shine through.
    following = ((key + 1) % len(chosen.keys) for key in shown if chosen.mask & BLENDED)
    phases = (phase_of(material, block, key) for key in chain(shown, following))
    first = next(phases, 0)
    if all(phase == first for phase in phases):
        return 0
    return duration(chosen) * (2 if chosen.mode == Mode.PING_PONG else 1)


def changes(block: Block) -> tuple[int, ...]:
    """Times within the period of a block at which the key changes, milliseconds, ascending.

    Empty for a random block.
    """
    if block.mode == Mode.RANDOM:
        return ()
    there = {segment.start for segment in segments(block)}
    if block.mode == Mode.PING_PONG:
        # A change at 30 of a cycle of 100 comes again at 170, on the way back; the one at 0 is the end of
        # both.
        there |= {2 * duration(block) - start for start in there if start}
    return tuple(sorted(there))


def has_keys(material: Material, block: int) -> bool:
    """Whether a block has keys; without any a material shows phase 0 at all times."""
    return bool(_keys(material, block))


def _keys(material: Material, block: int) -> tuple[BlockKey, ...]:
    return material.blocks[block].keys if 0 <= block < len(material.blocks) else ()


def _segment(block: Block, key: int) -> tuple[int, int]:
    """The start and length of the segment of a key, milliseconds."""
    start = block.keys[key - 1].time if key else 0
    return start, max(block.keys[key].time - start, 0)


def _random(seed: int, turn: int) -> int:
    """A reproducible pseudo-random number."""
    # Not the game's generator: the same moment must look the same each time, on every computer.
    return zlib.crc32((seed % WORD).to_bytes(4, "little") + turn.to_bytes(4, "little"))


def _state(a: Phase, b: Phase, phase: int, moment: PhaseMoment, mask: int) -> PhaseState:
    share, colors = moment.share, (a.ambient, a.diffuse, a.specular, a.emissive)
    # Identity: keys that show the same phase give one object, of which nothing need be blended.
    if a is not b and mask & BLENDED:
        colors = (
            _mixed(a.ambient, b.ambient, share, mask & _AMBIENT, mask & _AMBIENT_ALPHA),
            _mixed(a.diffuse, b.diffuse, share, mask & _DIFFUSE),
            _mixed(a.specular, b.specular, share, mask & _SPECULAR),
            _mixed(a.emissive, b.emissive, share, mask & _EMISSIVE),
        )
    return PhaseState(*colors, a.power, a.is_lit, phase, moment)


def _mixed(a: Color, b: Color, share: float, has_color: int, has_alpha: int = 0) -> Color:
    """Color `a` mixed with `b`; channels that are not selected keep the value of `a`."""
    red, green, blue, alpha = a
    if has_color:
        red += (b[0] - red) * share
        green += (b[1] - green) * share
        blue += (b[2] - blue) * share
    if has_alpha:
        alpha += (b[3] - alpha) * share
    return red, green, blue, alpha
