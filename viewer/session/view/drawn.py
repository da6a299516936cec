"""Which parts of a model a view shows, apart from the cell itself.

Source: spec/field-notes.md 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from viewer.model.mesh.part_choice import CellRule, Cutaway

OWN_VIEW_PLANES: Final = (0.05, 10.0)
"""Near and far plane of the own view, model units."""


@dataclass(frozen=True, slots=True)
class DrawnParts:
    """How the parts of a model are chosen.

    Attributes
    ----------
    cells
        As the game chooses the cell of each node, or exactly the requested cell.
    has_auto_detail
        The group follows the size of the model in the image; not in the seed reading.
    is_own_view
        As the unit sees itself: group 4, between near planes.
    is_destroyed
        Every node is at life 0.
    cutaway
        Whether internal or external parts are left out.
    """

    cells: CellRule = CellRule.GAME
    has_auto_detail: bool = False
    is_own_view: bool = False
    is_destroyed: bool = False
    cutaway: Cutaway = Cutaway.ALL
