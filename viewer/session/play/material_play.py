"""Playback of materials: the variant that each shows, and the materials that are frozen."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace

from viewer.model.material.materials import Layer, Material, Mode
from viewer.model.material.phases import (
    PhaseMoment,
    PhaseState,
    changes,
    has_keys,
    period,
    shown_keys,
    state_at,
    state_of,
)

T = TypeVar("T")

GAME_VARIANT: Final = 0
"""The block that the game plays, except for microtextures: `Material.usual_block`."""


def _nothing() -> Mapping[int, T]:
    return MappingProxyType({})


class MaterialPlay(Struct, frozen=True, dict=True):
    """The clan of an object, and deviations from the game, in which no material is frozen.

    Materials of several blocks show the block of the clan, those past their last one block 0; microtextures
    of terrain are of no clan.

    `index` is the index in `Materials.rows`; it also seeds random materials.
    Indices and blocks that a model does not have are ignored.

    Parameters
    ----------
    variants
        Blocks shown instead of that of the clan, by index.
    still
        Position in the block of each frozen material, by index; the others follow the clock.
    clan
        The clan.
    """

    variants: Mapping[int, int] = field(default_factory=_nothing)
    still: Mapping[int, PhaseMoment] = field(default_factory=_nothing)
    clan: int = GAME_VARIANT

    @cached_property
    def _unmoved(self) -> dict[int, tuple[Material, PhaseState]]:
        """The states that no time changes, by index, each with its material: asked for in every frame."""
        return {}

    def variant(self, index: int, material: Material) -> int:
        """The block that a material shows."""
        is_of_clan = material.layer is not Layer.MICROTEXTURE
        chosen = self.variants.get(index, self.clan if is_of_clan else material.usual_block)
        return chosen if chosen < len(material.blocks) else GAME_VARIANT

    def state(self, index: int, material: Material, milliseconds: float) -> PhaseState:
        """A material at a time of the clock."""
        kept = self._unmoved.get(index)
        if kept is not None and kept[0] is material:
            return kept[1]
        variant, moment = self.variant(index, material), self.still.get(index)
        if moment is None and has_keys(material, variant):
            return state_at(material, milliseconds, variant, seed=index)
        state = state_of(material, moment or PhaseMoment(0), variant)
        self._unmoved[index] = material, state
        return state

    def states(self, rows: Sequence[Material], milliseconds: float) -> tuple[PhaseState, ...]:
        """All materials at a time of the clock."""
        return tuple(self.state(index, material, milliseconds) for index, material in enumerate(rows))

    def change_times(self, rows: Sequence[Material], end: int) -> npt.NDArray[np.int64]:
        """Times up to `end` at which a running material changes its key; (n,) int64, milliseconds."""
        found = np.zeros(end + 1, np.bool_)
        for index, material in enumerate(rows):
            variant = self.variant(index, material)
            length = 0 if index in self.still else period(material, variant)
            if length:
                block = material.blocks[variant]
                laps = range(0, 1 if block.mode == Mode.ONCE else end + 1, length)
                times = np.add.outer(np.array(laps), np.array(changes(block), np.int64)).ravel()
                found[times[times <= end]] = True
        return np.flatnonzero(found)

    def choose(self, index: int, material: Material, variant: int) -> MaterialPlay:
        """Show another block of a material; a frozen one is set to its first key."""
        chosen = replace(self, variants=_with(self.variants, index, variant))
        return chosen.freeze(index, _first_moment(material, variant)) if index in self.still else chosen

    def of_clan(self, clan: int) -> MaterialPlay:
        """The materials of an object of another clan, without blocks that were chosen for single ones."""
        return replace(self, variants=_nothing(), clan=clan)

    def freeze(self, index: int, moment: PhaseMoment) -> MaterialPlay:
        """Freeze a material at a moment of its block."""
        return replace(self, still=_with(self.still, index, moment))

    def freeze_all(self, rows: Sequence[Material], milliseconds: float) -> MaterialPlay:
        """Freeze every animated material at its current moment; frozen ones are unchanged."""
        moving = ((index, material) for index, material in enumerate(rows) if moves(material))
        now = {index: self.state(index, material, milliseconds).moment for index, material in moving}
        return replace(self, still=MappingProxyType(now))

    def thaw(self, index: int) -> MaterialPlay:
        """Let a material follow the clock again."""
        rest = {other: moment for other, moment in self.still.items() if other != index}
        return replace(self, still=MappingProxyType(rest))

    def thaw_all(self) -> MaterialPlay:
        """Let all materials follow the clock again."""
        return replace(self, still=MappingProxyType({}))

    def step(self, index: int, material: Material, milliseconds: float, keys: int) -> MaterialPlay:
        """Freeze a material at the start of a key, `keys` after or before the current one, cyclically.

        Keys that are never shown are skipped.
        """
        variant = self.variant(index, material)
        shown = shown_keys(material.blocks[variant]) if material.blocks else ()
        if not shown:
            return self
        now = bisect_right(shown, self.state(index, material, milliseconds).moment.key) - 1
        return self.freeze(index, PhaseMoment(shown[(now + keys) % len(shown)]))


def clan_count(rows: Iterable[Material]) -> int:
    """The number of clans that some materials tell apart, the most blocks of any; 0 if none has several."""
    counts = (len(it.blocks) for it in rows if it.layer is not Layer.MICROTEXTURE)
    return max((count for count in counts if count > 1), default=0)


def moves(material: Material) -> bool:
    """Whether any variant of a material is animated."""
    return longest_period(material) > 0


def longest_period(material: Material) -> int:
    """Longest cycle of a material's variants, milliseconds."""
    return max((period(material, block) for block in range(len(material.blocks))), default=0)


def _first_moment(material: Material, variant: int) -> PhaseMoment:
    shown = shown_keys(material.blocks[variant]) if variant < len(material.blocks) else ()
    return PhaseMoment(shown[0] if shown else 0)


def _with(mapping: Mapping[int, T], index: int, value: T) -> Mapping[int, T]:
    return MappingProxyType({**mapping, index: value})
