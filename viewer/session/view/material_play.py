"""How the materials of a model play: which variant each shows, and which of them stand still, and where."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from viewer.model.material.materials import Material, Mode
from viewer.model.material.phases import Moment, PhaseState, changes, period, shown_keys, state_at, state_of

T = TypeVar("T")

GAME_VARIANT: Final = 0
"""The block that the game plays, whatever others there are."""


def _nothing() -> Mapping[int, T]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class MaterialPlay:
    """What is different from the game: there every material shows its first block and none stands still.

    Materials are numbered by their place in `Materials.rows`; the place is the seed of what is random.
    Places and blocks that a model does not have change nothing.

    Parameters
    ----------
    variants
        Blocks that are shown instead of the first.
    still
        Where in their block those materials are that stand still; the others go by the clock.
    """

    variants: Mapping[int, int] = field(default_factory=_nothing)
    still: Mapping[int, Moment] = field(default_factory=_nothing)

    def variant(self, place: int, material: Material) -> int:
        """The block that a material shows."""
        chosen = self.variants.get(place, GAME_VARIANT)
        return chosen if chosen < len(material.blocks) else GAME_VARIANT

    def state(self, place: int, material: Material, milliseconds: float) -> PhaseState:
        """A material at a time of the clock."""
        variant = self.variant(place, material)
        if place in self.still:
            return state_of(material, self.still[place], variant)
        return state_at(material, milliseconds, variant, seed=place)

    def states(self, rows: Sequence[Material], milliseconds: float) -> tuple[PhaseState, ...]:
        """All materials at a time of the clock."""
        return tuple(self.state(place, material, milliseconds) for place, material in enumerate(rows))

    def change_times(self, rows: Sequence[Material], end: int) -> npt.NDArray[np.int64]:
        """When materials that go by the clock come to another key, up to `end`; (n,) int64, milliseconds."""
        found = np.zeros(end + 1, np.bool_)
        for place, material in enumerate(rows):
            variant = self.variant(place, material)
            length = 0 if place in self.still else period(material, variant)
            if length:
                block = material.blocks[variant]
                laps = range(0, 1 if block.mode == Mode.ONCE else end + 1, length)
                times = np.add.outer(np.array(laps), np.array(changes(block), np.int64)).ravel()
                found[times[times <= end]] = True
        return np.flatnonzero(found)

    def choose(self, place: int, material: Material, variant: int) -> MaterialPlay:
        """Show another block of a material; one that stands still goes to the first key of it."""
        chosen = replace(self, variants=_with(self.variants, place, variant))
        return chosen.freeze(place, _first_moment(material, variant)) if place in self.still else chosen

    def choose_all(self, rows: Sequence[Material], variant: int) -> MaterialPlay:
        """Show a block of every material that has it."""
        chosen = {place: variant for place, material in enumerate(rows) if variant < len(material.blocks)}
        return replace(self, variants=MappingProxyType(chosen))

    def freeze(self, place: int, moment: Moment) -> MaterialPlay:
        """Let a material stand still at a place in its block."""
        return replace(self, still=_with(self.still, place, moment))

    def freeze_all(self, rows: Sequence[Material], milliseconds: float) -> MaterialPlay:
        """Let every material that changes stand still where it is; those that do already stay there."""
        now = {
            place: self.state(place, material, milliseconds).moment
            for place, material in enumerate(rows)
            if moves(material)
        }
        return replace(self, still=MappingProxyType(now))

    def thaw(self, place: int) -> MaterialPlay:
        """Let a material go by the clock again."""
        rest = {other: moment for other, moment in self.still.items() if other != place}
        return replace(self, still=MappingProxyType(rest))

    def thaw_all(self) -> MaterialPlay:
        """Let all materials go by the clock again."""
        return replace(self, still=MappingProxyType({}))

    def step(self, place: int, material: Material, milliseconds: float, keys: int) -> MaterialPlay:
        """Let a material stand still at the start of a key some places on or back, round and round.

        Keys that never show are left out.
        """
        variant = self.variant(place, material)
        shown = shown_keys(material.blocks[variant]) if material.blocks else ()
        if not shown:
            return self
        now = bisect_right(shown, self.state(place, material, milliseconds).moment.key) - 1
        return self.freeze(place, Moment(shown[(now + keys) % len(shown)]))


def moves(material: Material) -> bool:
    """Whether any variant of a material changes in time."""
    return longest_period(material) > 0


def longest_period(material: Material) -> int:
    """Milliseconds until every variant of a material has shown all that it has."""
    return max((period(material, block) for block in range(len(material.blocks))), default=0)


def _first_moment(material: Material, variant: int) -> Moment:
    shown = shown_keys(material.blocks[variant]) if variant < len(material.blocks) else ()
    return Moment(shown[0] if shown else 0)


def _with(mapping: Mapping[int, T], place: int, value: T) -> Mapping[int, T]:
    return MappingProxyType({**mapping, place: value})
