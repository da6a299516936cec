"""What the nodes of a scene show in the cells that are exported.

For the cell asked for it is what the viewer shows (`viewer.model.mesh.shown`). For a further cell it is the
same, except that a node with a slot in exactly that cell shows that one, so that every slot is somewhere.

Source: spec/field-notes.md 3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from viewer.formats.msh.nodes import GROUPS, LODS
from viewer.model.convert.scene import Cell, Indices, Options, View
from viewer.model.convert.source import ModelSource
from viewer.model.mesh.draws import Mask
from viewer.model.mesh.shown import NO_CELL, PartChoice, PartChooser

CELLS = LODS * GROUPS


class CellParts:
    """The parts of a model by node and cell.

    Attributes
    ----------
    part
        Part of each node in each cell, (n, 15) int64; -1 if there is none.
    chooser
        What the viewer shows.
    """

    def __init__(self, source: ModelSource) -> None:
        parts = source.draws.parts
        self._count = len(parts)
        self.chooser = PartChooser(source.model, source.draws)
        count = max(source.model.node_count, 1 + int(parts.node.max(initial=-1)))
        self.part = np.full((count, CELLS), -1, np.int64)
        for cell in range(CELLS):
            rows = np.flatnonzero(parts.cells >> cell & 1)
            self.part[parts.node[rows], cell] = rows

    def views(self, nodes: Sequence[int], options: Options) -> tuple[View, ...]:
        """What some nodes show: for the cell of the options, then for every other cell that needs it."""
        is_wanted = self._wanted(nodes, options)
        chosen = self._shown(options.cell)
        views = [_view(options.cell, np.where(is_wanted, chosen, NO_CELL), nodes)]
        if options.has_all_cells:
            cells = [(row, column) for row in range(LODS) for column in range(GROUPS)]
            views += [
                _view(cell, np.where(is_wanted, self._with_own(cell), NO_CELL), nodes)
                for cell in cells
                if self._is_needed(cell, is_wanted, chosen)
            ]
        return tuple(views)

    def shown_in(self, views: Sequence[View], nodes: Sequence[int]) -> Mask:
        """The parts that some views of nodes show, (p,) bool."""
        cells = ((node, cell) for view in views for node, cell in zip(nodes, view.shown, strict=True) if cell)
        parts = [int(self.part[node, row * GROUPS + column]) for node, (row, column) in cells]
        is_shown = np.zeros(self._count, np.bool_)
        is_shown[parts] = True
        return is_shown

    def _wanted(self, nodes: Sequence[int], options: Options) -> Mask:
        """The nodes whose geometry is exported, (n,) bool; the others only carry them."""
        is_wanted = np.zeros(len(self.part), np.bool_)
        is_wanted[list(nodes if options.nodes is None else options.nodes & {*nodes})] = True
        return is_wanted

    def _shown(self, cell: Cell) -> Indices:
        return self.chooser.shown(PartChoice(*cell)).cell

    def _with_own(self, cell: Cell) -> Indices:
        number = cell[0] * GROUPS + cell[1]
        return np.where(self.part[:, number] >= 0, number, self._shown(cell))

    def _is_needed(self, cell: Cell, is_wanted: Mask, chosen: Indices) -> bool:
        """Whether a cell has slots that the chosen view does not show."""
        number = cell[0] * GROUPS + cell[1]
        return bool((is_wanted & (self.part[:, number] >= 0) & (chosen != number)).any())


def _view(cell: Cell, shown: Indices, nodes: Sequence[int]) -> View:
    numbers = shown[list(nodes)].tolist()
    return View(cell, tuple(None if it == NO_CELL else (it // GROUPS, it % GROUPS) for it in numbers))
