"""What determines which parts of a model are shown, as a value; `shown` says what follows from it.

A cell of the slot matrix is (LOD, group), its row and column. By the field notes the LOD is the damage stage
of a node, groups 0 to 3 are its levels of detail, the finest first, and group 4 is what only the unit's own
view draws.

Source: spec/field-notes.md 1, 3; spec/msh.md 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final

Cell = tuple[int, int]
"""LOD and group: row and column of the slot matrix."""
OWN_VIEW: Final = 4
"""The group that only the unit's own view draws."""
NO_OVERRIDES: Final[Mapping[int, Cell]] = MappingProxyType({})


class CellRule(StrEnum):
    """The ways to choose the cell of a node; the values are saved."""

    GAME = "game"
    EXACT = "exact"


class Cutaway(StrEnum):
    """The parts of a building that are shown; the values are saved."""

    ALL = "all"
    INSIDE = "inside"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class PartChoice:
    """What determines which parts are shown.

    Attributes
    ----------
    lod, group
        The requested cell.
    rule
        How a node chooses its cell from that.
    is_destroyed
        Every node is at life 0; applies to the game's way alone.
    cutaway
        Whether internal or external nodes are left out.
    overrides
        Nodes that show exactly another cell.
    hidden, isolated
        Nodes that are left out; if `isolated` is a set, nodes outside it are left out too.
    """

    lod: int = 0
    group: int = 0
    rule: CellRule = CellRule.GAME
    is_destroyed: bool = False
    cutaway: Cutaway = Cutaway.ALL
    overrides: Mapping[int, Cell] = field(default_factory=lambda: NO_OVERRIDES)
    hidden: frozenset[int] = frozenset()
    isolated: frozenset[int] | None = None
