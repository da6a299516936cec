"""Which parts and draws of a model are shown: the one place that decides it.

In the game's way of choosing a cell (row, column) of the slot matrix

* a node draws row min(stage, rows - 1), where `rows` counts its rows filled in column 0 without a gap;
* a node without the level asked for draws the nearest finer one of that row;
* in column 4 there is no other level: a node without a slot there is not drawn;
* cockpits (node flag 0x0020) are drawn in column 4 only;
* at life 0, "destroyed", a node is hidden unless its flags carry 0x0100; then it draws its last row.

A node that has nothing in row 0, column 0 has no rows to choose from: it draws the row asked for, else
row 0. The exact way shows the cell asked for and nothing else. A node with an override shows exactly that
cell in both.

Source: spec/field-notes.md 3; spec/msh.md 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from viewer.formats.msh.batches import FLAG_PORTAL
from viewer.formats.msh.nodes import FLAG_COCKPIT, FLAG_INTERNAL, FLAG_SURVIVES, GROUPS, LODS, NONE
from viewer.model.mesh.draws import Draws, Mask
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.part_choice import OWN_VIEW, Cell, CellRule, Cutaway, PartChoice
from viewer.model.mesh.ranges import Indices

Result = TypeVar("Result")
NO_ROOM: Final = -1
NO_CELL: Final = -1
REMEMBERED: Final = 8
"""Choices whose result is kept."""


@dataclass(frozen=True, slots=True, eq=False)
class ShownParts:
    """What a choice shows of a model.

    Attributes
    ----------
    cell
        Number of the cell that each node shows, ``row * 5 + column``, (n,) int64; `NO_CELL` if none.
    kept
        The nodes that neither the cutaway nor the user leaves out, with or without geometry, (n,) bool.
    parts
        The parts that are shown, (p,) bool.
    draws
        Their draws without the portals, (d,) bool.
    portals
        Their portals, (d,) bool.
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
        """The draws that can be seen and picked, with or without portals, (d,) bool."""
        return self.draws | self.portals if has_portals else self.draws


class PartChooser:
    """Chooses the parts and draws of one model; remembers the last results.

    Attributes
    ----------
    room
        The node behind each draw that is a portal, (d,) int64; `NO_ROOM` if it names none.
    is_portal
        The draws that are portals, (d,) bool.
    cockpits
        The nodes that are drawn in the own view only.
    has_internal
        Whether any node is an internal part.
    portal_count
        Number of portals.
    row_count
        The most rows that a node chooses from: the stages of damage, at least 1.
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
        self._rows = _damage_rows(self._filled)
        self.row_count = max(1, int(self._rows.max(initial=0)))
        self.is_portal, self.room = _portals(model, draws)
        self.portal_count = len(set(draws.batch[self.is_portal].tolist()))
        self._shown = _Remembered(self._choose)
        self._counts = _Remembered(self._count)

    def shown(self, choice: PartChoice) -> ShownParts:
        """What a choice shows; the same object for equal choices, as long as it is remembered."""
        return self._shown.of(choice)

    def triangle_counts(self, choice: PartChoice) -> npt.NDArray[np.int64]:
        """Triangles that every cell would show instead of the chosen one, with all nodes, intact, (3, 5)."""
        return self._counts.of(PartChoice(rule=choice.rule, cutaway=choice.cutaway))

    def nearest_cell(self, choice: PartChoice) -> Cell | None:
        """The cell nearest to the chosen one that would show triangles, maybe itself; None if none would."""
        filled = np.argwhere(self.triangle_counts(choice) > 0)
        if not len(filled):
            return None
        distance = np.abs(filled - (choice.row, choice.column)).sum(axis=1)
        row, column = filled[distance.argmin()].tolist()
        return row, column

    def _count(self, choice: PartChoice) -> npt.NDArray[np.int64]:
        cells = [(row, column) for row in range(LODS) for column in range(GROUPS)]
        shown = [self._choose(replace(choice, row=row, column=column)) for row, column in cells]
        return np.array([each.triangle_count for each in shown]).reshape(LODS, GROUPS)

    def _choose(self, choice: PartChoice) -> ShownParts:
        kept = self._kept(choice)
        cell = np.where(kept, self._cells(choice), NO_CELL)
        of_part = cell[self._node]
        parts: Mask = (of_part != NO_CELL) & ((self._draws.parts.cells >> np.maximum(of_part, 0)) & 1 != 0)
        of_parts = parts[self._draws.part]
        draws, portals = of_parts & ~self.is_portal, of_parts & self.is_portal
        return ShownParts(cell, kept, parts, draws, portals, int(self._draws.triangle_count[draws].sum()))

    def _cells(self, choice: PartChoice) -> Indices:
        """The cell that each node shows if nothing is left out, (n,)."""
        if choice.rule is CellRule.EXACT:
            wanted = choice.row * GROUPS + choice.column
            cell = np.where(self._filled >> wanted & 1 != 0, wanted, NO_CELL)
        else:
            cell = self._cells_in_game(choice)
        for node, (row, column) in choice.overrides.items():
            if 0 <= node < len(cell):
                number = row * GROUPS + column
                cell[node] = number if self._filled[node] >> number & 1 else NO_CELL
        return cell

    def _cells_in_game(self, choice: PartChoice) -> Indices:
        stage = LODS if choice.is_destroyed else choice.row
        row = np.minimum(stage, np.maximum(self._rows, 1) - 1)
        cell = _nearest_finer(self._filled, row, choice.column)
        if choice.row > 0:
            own = _nearest_finer(self._filled, np.full_like(row, choice.row), choice.column)
            cell = np.where((self._rows == 0) & (own != NO_CELL), own, cell)
        if choice.column != OWN_VIEW:
            cell[self._flags & FLAG_COCKPIT != 0] = NO_CELL
        if choice.is_destroyed:
            cell[self._flags & FLAG_SURVIVES == 0] = NO_CELL
        return cell

    def _kept(self, choice: PartChoice) -> Mask:
        """The nodes that neither the cutaway nor the user leaves out, (n,) bool."""
        kept = np.ones(len(self._flags), np.bool_)
        if choice.cutaway is not Cutaway.ALL:
            is_internal = self._flags & FLAG_INTERNAL != 0
            kept = is_internal if choice.cutaway is Cutaway.INSIDE else ~is_internal
        if choice.isolated is not None:
            kept &= self._among(choice.isolated)
        return kept & ~self._among(choice.hidden) if choice.hidden else kept

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


def _damage_rows(filled: Indices) -> Indices:
    """Rows of each node that are filled in column 0 without a gap, (n,)."""
    has_row = filled[:, None] >> (np.arange(LODS) * GROUPS) & 1
    rows: Indices = np.cumprod(has_row, axis=1).sum(axis=1)
    return rows


def _nearest_finer(filled: Indices, row: Indices, column: int) -> Indices:
    """The cell of each node in its row at a level, or at the nearest finer one that it has, (n,)."""
    levels = filled >> (row * GROUPS) & ((1 << GROUPS) - 1)
    allowed = 1 << OWN_VIEW if column == OWN_VIEW else (1 << (column + 1)) - 1
    levels &= allowed
    finest = np.frexp(levels.astype(np.float64))[1] - 1
    return np.where(levels != 0, row * GROUPS + finest, NO_CELL)


def _portals(model: Model, draws: Draws) -> tuple[Mask, Indices]:
    """The draws that are portals, and the rooms behind them, (d,) each."""
    if model.variant is Variant.TERRAIN or not len(draws):
        return np.zeros(len(draws), np.bool_), np.full(len(draws), NO_ROOM)
    batches = model.batches[draws.batch]
    is_portal: Mask = batches["flags"] & FLAG_PORTAL != 0
    behind = batches["opaque6"].astype(np.int64)
    is_there = is_portal & (behind != NONE) & (behind < model.node_count)
    return is_portal, np.where(is_there, behind, NO_ROOM)
