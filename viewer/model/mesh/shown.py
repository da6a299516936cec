"""The parts and draws of a model that are shown: the one place that decides it.

A cell of the slot matrix is (LOD, group), its row and column. By the field notes the LOD is the damage stage
of a node, groups 0 to 3 are its levels of detail, the finest first, and group 4 is what only the unit's own
view draws. In the game's way of choosing a cell

* a node draws LOD min(stage, lods - 1), where `lods` counts its LODs filled in group 0 without a gap;
* a node without the requested group draws the nearest finer one of that LOD;
* for group 4 there is no other: a node without a slot there is not drawn;
* cockpits (node flag 0x0020) are drawn in group 4 only;
* at life 0, "destroyed", a node is hidden unless its flags carry 0x0100; then it draws its last LOD.

A node that has nothing in LOD 0, group 0 has no LODs to choose from: it draws the requested LOD, else
LOD 0. The exact way shows the requested cell and nothing else. A node with an override shows exactly that
cell in both.

Of the portals (`viewer.model.mesh.portals`) signs are drawn as all else is; doorways and open portals, which
would plug every door, only if they are asked for.

The game chooses one group for a whole model, its "current" one. That groups 0 to 3 are levels of detail is
inferred: along them the triangle counts fall on 1157 of 1161 chains of the retail models. No source states at
which size the group changes; the thresholds are ours: the finest group down to a quarter of the height of the
image, then a coarser one at each half of that.

Source: spec/field-notes.md 1, 3; spec/msh.md 2 (lod == -1).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace

from viewer.formats.msh.nodes import FLAG_COCKPIT, FLAG_INTERNAL, FLAG_SURVIVES, GROUPS, LODS, NONE
from viewer.geometry.transforms import Indices, Mask
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.portals import KINDS, NO_PORTAL, SIGN, PortalKind, portal_kinds
from viewer.model.mesh.triangle_query import NO_FLAGS, Masks

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


class PartChoice(Struct, frozen=True):
    """The choices that determine which parts are shown.

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
    batches
        Bits of the flags of batches that are drawn, as the engine may filter them (003 1.15).
    """

    lod: int = 0
    group: int = 0
    rule: CellRule = CellRule.GAME
    is_destroyed: bool = False
    cutaway: Cutaway = Cutaway.ALL
    overrides: Mapping[int, Cell] = field(default_factory=lambda: NO_OVERRIDES)
    hidden: frozenset[int] = frozenset()
    isolated: frozenset[int] | None = None
    batches: Masks = Masks()


Result = TypeVar("Result")
NO_ROOM: Final = -1
NO_CELL: Final = -1
REMEMBERED: Final = 20
"""Choices whose result is kept: all cells, and some more."""


class ShownParts(Struct, frozen=True, eq=False):
    """The cells, parts and draws of a model that a choice shows.

    Attributes
    ----------
    cell
        Number of the cell that each node shows, ``lod * 5 + group``, (n,) int64; `NO_CELL` if none.
    kept
        The nodes that neither the cutaway nor the user leaves out, with or without geometry, (n,) bool.
    parts
        The parts that are shown, (p,) bool.
    draws
        Their draws without the doorways and open portals, which the game does not show, (d,) bool.
    portals
        Their portals of all kinds, signs too, (d,) bool.
    triangle_count
        Triangles of `draws`.
    """

    cell: Indices
    kept: Mask
    parts: Mask
    draws: Mask
    portals: Mask
    triangle_count: int

    def visible(self, *, has_portals: bool) -> Mask:
        """The draws that can be seen and picked, with portals of all kinds or of signs alone, (d,) bool."""
        return self.draws | self.portals if has_portals else self.draws


class PartChooser:
    """Chooses the parts and draws of one model; remembers the last results.

    Attributes
    ----------
    room
        The node behind each draw that is a portal, (d,) int64; `NO_ROOM` if it names none.
    portal
        The kind of each draw that is a portal, an index in `KINDS`, (d,) int64; `NO_PORTAL` of others.
    is_portal
        The draws that are portals of any kind, (d,) bool.
    is_hidden
        Those of them that are drawn only if portals are asked for, (d,) bool.
    cockpits
        The nodes that are drawn in the own view only.
    has_internal
        Whether any node is an internal part.
    lod_count
        The most LODs that a node chooses from, at least 1.
    """

    def __init__(self, model: Model, draws: Draws) -> None:
        self._draws = draws
        self._node = draws.parts.node
        count = max(model.node_count, 1 + int(self._node.max(initial=-1)))
        self._filled = np.zeros(count, np.int64)
        np.bitwise_or.at(self._filled, self._node, draws.parts.cells.astype(np.int64))
        self._flags = np.zeros(count, np.int64)
        if model.variant is Variant.MODEL:
            self._flags[: len(model.nodes)] = model.nodes["flags"]
        self.cockpits = frozenset(np.flatnonzero(self._flags & FLAG_COCKPIT).tolist())
        self.has_internal = bool((self._flags & FLAG_INTERNAL).any())
        self.lods: Indices = _lods(self._filled)
        self.lod_count = max(1, int(self.lods.max(initial=0)))
        self.portal, self.room = _portals(model, draws)
        self.is_portal: Mask = self.portal != NO_PORTAL
        self.is_hidden: Mask = self.is_portal & (self.portal != SIGN)
        self._batch_flags = _batch_flags(model, draws)
        self._shown = _Remembered(self._choose)
        self._counts = _Remembered(self._count)

    def portal_counts(self, portals: Mask | None = None) -> dict[PortalKind, int]:
        """Number of portals of each kind among some draws (d,), by default all; each batch counts once."""
        chosen = self.is_portal if portals is None else portals
        batches = (
            set(self._draws.batch[chosen & (self.portal == kind)].tolist()) for kind in range(len(KINDS))
        )
        return {kind: len(found) for kind, found in zip(KINDS, batches, strict=True) if found}

    def shown(self, choice: PartChoice) -> ShownParts:
        """Parts of a choice; the same object for equal choices, as long as it is remembered."""
        return self._shown.of(choice)

    def triangle_counts(
        self, choice: PartChoice, nodes: frozenset[int] | None = None
    ) -> npt.NDArray[np.int64]:
        """Triangles that every cell would show, intact, of all nodes or of some, (3, 5)."""
        return self._counts.of(PartChoice(rule=choice.rule, cutaway=choice.cutaway, isolated=nodes))

    def nearest_cell(self, choice: PartChoice) -> Cell | None:
        """The cell nearest to the chosen one that would show triangles, maybe itself; None if none would."""
        filled = np.argwhere(self.triangle_counts(choice) > 0)
        if not len(filled):
            return None
        distance = np.abs(filled - (choice.lod, choice.group)).sum(axis=1)
        lod, group = filled[distance.argmin()].tolist()
        return lod, group

    def _count(self, choice: PartChoice) -> npt.NDArray[np.int64]:
        cells = [(lod, group) for lod in range(LODS) for group in range(GROUPS)]
        shown = [self._choose(replace(choice, lod=lod, group=group)) for lod, group in cells]
        return np.array([each.triangle_count for each in shown]).reshape(LODS, GROUPS)

    def _choose(self, choice: PartChoice) -> ShownParts:
        # What neither the cutaway nor the user leaves out.
        kept = np.ones(len(self._flags), np.bool_)
        if choice.cutaway is not Cutaway.ALL:
            is_internal = self._flags & FLAG_INTERNAL != 0
            kept = is_internal if choice.cutaway is Cutaway.INSIDE else ~is_internal
        if choice.isolated is not None:
            kept &= self._among(choice.isolated)
        if choice.hidden:
            kept &= ~self._among(choice.hidden)
        cell = np.where(kept, self._cells(choice), NO_CELL)
        of_part = cell[self._node]
        # NO_CELL is -1, and a shift by a negative number is undefined.
        parts: Mask = (of_part != NO_CELL) & ((self._draws.parts.cells >> np.maximum(of_part, 0)) & 1 != 0)
        of_parts = parts[self._draws.part]
        if choice.batches != Masks():
            of_parts &= choice.batches.passes(self._batch_flags)
        draws, portals = of_parts & ~self.is_hidden, of_parts & self.is_portal
        return ShownParts(cell, kept, parts, draws, portals, int(self._draws.triangle_count[draws].sum()))

    def _cells(self, choice: PartChoice) -> Indices:
        """The cell that each node shows if nothing is left out, (n,)."""
        if choice.rule is CellRule.EXACT:
            # A cell is one of 15 bits, LOD by LOD: LOD 1, group 2 of five groups is bit 1 * 5 + 2 = 7.
            wanted = choice.lod * GROUPS + choice.group
            cell = np.where(self._filled >> wanted & 1 != 0, wanted, NO_CELL)
        else:
            cell = self._cells_in_game(choice)
        for node, (lod, group) in choice.overrides.items():
            if 0 <= node < len(cell):
                number = lod * GROUPS + group
                cell[node] = number if self._filled[node] >> number & 1 else NO_CELL
        return cell

    def _cells_in_game(self, choice: PartChoice) -> Indices:
        stage = LODS if choice.is_destroyed else choice.lod
        lod = np.minimum(stage, np.maximum(self.lods, 1) - 1)
        cell = _nearest_finer(self._filled, lod, choice.group)
        # A node without a LOD in group 0, as those of own views are, has no number of LODs to stop at: it
        # draws the one that is asked for, if it has it.
        if choice.lod > 0:
            own = _nearest_finer(self._filled, np.full_like(lod, choice.lod), choice.group)
            cell = np.where((self.lods == 0) & (own != NO_CELL), own, cell)
        if choice.group != OWN_VIEW:
            cell[self._flags & FLAG_COCKPIT != 0] = NO_CELL
        if choice.is_destroyed:
            cell[self._flags & FLAG_SURVIVES == 0] = NO_CELL
        return cell

    def _among(self, nodes: frozenset[int]) -> Mask:
        among = np.zeros(len(self._flags), np.bool_)
        among[[node for node in nodes if 0 <= node < len(among)]] = True
        return among


class _Remembered(Generic[Result]):
    """Results by choice; the newest few are kept."""

    def __init__(self, make: Callable[[PartChoice], Result]) -> None:
        self._make = make
        self._known: tuple[tuple[PartChoice, Result], ...] = ()

    def of(self, choice: PartChoice) -> Result:
        """The result of a choice; the same object again if it is still remembered."""
        for known, result in self._known:
            if known == choice:
                return result
        result = self._make(choice)
        self._known = ((choice, result), *self._known[: REMEMBERED - 1])
        return result


def _lods(filled: Indices) -> Indices:
    """LODs of each node that are filled in group 0 without a gap, (n,)."""
    has_lod = filled[:, None] >> (np.arange(LODS) * GROUPS) & 1
    # 1 0 1 counts 1: the product is 0 from the gap on.
    lods: Indices = np.cumprod(has_lod, axis=1).sum(axis=1)
    return lods


def _nearest_finer(filled: Indices, lod: Indices, group: int) -> Indices:
    """The cell of each node in its LOD and a group, or in the nearest finer one that it has, (n,)."""
    groups = filled >> (lod * GROUPS) & ((1 << GROUPS) - 1)
    # The own view takes no other group; group 2 looks at bits 2, 1, 0.
    groups &= 1 << OWN_VIEW if group == OWN_VIEW else (1 << (group + 1)) - 1
    # The exponent is the number of the highest set bit + 1: 0b01101 gives 3.
    nearest = np.frexp(groups.astype(np.float64))[1] - 1
    return np.where(groups != 0, lod * GROUPS + nearest, NO_CELL)


def _batch_flags(model: Model, draws: Draws) -> Indices:
    """The flags of the batch of each draw, (d,); `NO_FLAGS` in a terrain, which has no batches."""
    if model.variant is Variant.TERRAIN or not len(draws):
        return np.full(len(draws), NO_FLAGS, np.int64)
    return model.batches["flags"].astype(np.int64)[draws.batch]


def _portals(model: Model, draws: Draws) -> tuple[Indices, Indices]:
    """The kind of each draw that is a portal, and the room behind it, (d,) each."""
    if model.variant is Variant.TERRAIN or not len(draws):
        return np.full(len(draws), NO_PORTAL), np.full(len(draws), NO_ROOM)
    batches = model.batches[draws.batch]
    kind = portal_kinds(batches["flags"])
    behind = batches["opaque6"].astype(np.int64)
    is_there = (kind != NO_PORTAL) & (behind != NONE) & (behind < model.node_count)
    return kind, np.where(is_there, behind, NO_ROOM)


THRESHOLDS: Final = (1 / 16, 1 / 8, 1 / 4)
"""Sizes below which a coarser group is drawn: diameter of the model over height of the image."""
COARSEST: Final = len(THRESHOLDS)
"""The group of the coarsest level of detail."""


def group_at(size: float) -> int:
    """The group drawn at a size, the diameter of the model over the height of the image."""
    return COARSEST - bisect_right(THRESHOLDS, size)
