"""What exactly one cell of a model shows."""

from __future__ import annotations

from collections.abc import Mapping

from viewer.model.mesh.draws import Draws, Mask
from viewer.model.mesh.model import Model
from viewer.model.mesh.shown import NO_OVERRIDES, Cell, CellRule, PartChoice, PartChooser


def parts_in(
    model: Model, draws: Draws, cell: Cell = (0, 0), overrides: Mapping[int, Cell] = NO_OVERRIDES
) -> Mask:
    """The parts in a cell, (p,) bool."""
    choice = PartChoice(*cell, rule=CellRule.EXACT, overrides=overrides)
    return PartChooser(model, draws).shown(choice).parts


def draws_in(model: Model, draws: Draws, cell: Cell = (0, 0)) -> Mask:
    """The draws in a cell, portals among them, (d,) bool."""
    return draws.draws_of(parts_in(model, draws, cell))
