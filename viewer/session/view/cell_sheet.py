"""The contact sheet: what each cell of the slot matrix shows, in fifteen views through one camera."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.model.mesh.pose.animation import Pose
from viewer.model.mesh.shown import Cell, CellRule, PartChoice
from viewer.session.opened.document import Document
from viewer.session.view.camera import Camera
from viewer.session.view.options.background import Background
from viewer.session.view.view_state import GROUP_COUNT, LOD_COUNT, ViewState, for_document, with_cell

CELL_COUNT: Final = LOD_COUNT * GROUP_COUNT


class CellCounts(Struct, frozen=True, eq=False):
    """Triangles of the cells, of all nodes or of some.

    Attributes
    ----------
    shown
        Triangles that each cell shows in the way that cells are chosen, (3, 5) int64.
    own
        Triangles that are stored for it, (3, 5) int64: 0 for an empty cell, whatever is shown instead.
    """

    shown: npt.NDArray[np.int64]
    own: npt.NDArray[np.int64]

    @classmethod
    def of(cls, document: Document, view: ViewState, nodes: frozenset[int] | None) -> CellCounts:
        """The counts in the cell rule and the cutaway of a view."""
        choice = view.parts
        exact = PartChoice(rule=CellRule.EXACT, cutaway=choice.cutaway)
        chooser = document.chooser
        return cls(chooser.triangle_counts(choice, nodes), chooser.triangle_counts(exact, nodes))


class SheetLook(Struct, frozen=True, eq=False):
    """The inputs of the pictures of a contact sheet.

    Attributes
    ----------
    alone
        A view with the look of the program that shows no cell yet: without overlays, at the beginning.
    size
        Width and height of the picture of a cell, pixels.
    """

    document: Document
    alone: ViewState
    size: tuple[int, int]

    @classmethod
    def of(
        cls, document: Document, view: ViewState, nodes: frozenset[int] | None, size: tuple[int, int]
    ) -> SheetLook:
        """The sheet of all nodes or of some in the look of a view, and in its way to choose cells."""
        is_clear = view.background is Background.TRANSPARENT
        alone = replace(
            for_document(view),
            isolated=nodes,
            overlays=frozenset(),
            background=Background.DARK if is_clear else view.background,
            camera=Camera(),
            is_playing=False,
            followed=None,
            held=None,
        )
        return cls(document, with_cell(alone, 0, 0), size)

    def fits(self, other: SheetLook | None) -> bool:
        """Whether another sheet is of the same revision of a model, with pictures of the same size."""
        return other is not None and self.document is other.document and self.size == other.size

    def is_like(self, other: SheetLook | None) -> bool:
        """Whether another sheet has the same pictures."""
        return other is not None and self.fits(other) and self.alone == other.alone


class CellSheet(NamedTuple):
    """A sheet that is on screen.

    Attributes
    ----------
    texture
        Its GL name, lowest row first.
    unfinished
        The share that is drawn of each cell that is not whole, by row * 5 + column.
    """

    texture: int
    unfinished: Mapping[int, float]


def sheet_views(look: SheetLook, pose: Pose) -> tuple[ViewState, ...]:
    """A view of each cell alone, by LOD and then group, through one camera that shows all of it."""
    document, (width, height) = look.document, look.size
    views = [with_cell(look.alone, *divmod(cell, GROUP_COUNT)) for cell in range(CELL_COUNT)]
    draws = np.any([document.shown(view).draws for view in views], axis=0)
    posed = document.draws.posed(document.model, pose.world, draws)
    bounds = posed.bounds
    if bounds is None:
        return tuple(views)
    camera = replace(look.alone.camera, reach=bounds.diagonal).frame(posed, width / height)
    return tuple(replace(view, camera=camera) for view in views)


def toggle_laid_over(view: ViewState, cell: Cell) -> ViewState:
    """Lay a cell over what is shown, or take it away again."""
    return replace(view, laid_over=view.laid_over ^ {cell})
