"""Cells of the slot matrix as words: by the field notes a damage stage and a level of detail.

In terrain the row is the level of detail, and there is one column (spec/land.md 3).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from viewer.model.mesh.part_choice import OWN_VIEW, Cell, CellRule, Cutaway
from viewer.session.opened.document import Document
from viewer.session.view.view_state import ViewState
from viewer.translation import Message, _
from viewer.ui.widgets.field_text import counted

ROW_HINT: Final = Message("Row of the slot matrix: damage stage; LOD in the naming of the seeds")
COLUMN_HINT: Final = Message(
    "Column of the slot matrix: level of detail, the finest first, 4 the own view; "
    "group in the naming of the seeds"
)
TERRAIN_HINT: Final = Message("Row of the slot matrix: level of detail of a terrain, the finest first")


def has_stages(document: Document | None) -> bool:
    """Tell whether the rows of a model, or of any without one, are stages of damage."""
    return document is None or not document.is_terrain


def row_hint(document: Document | None) -> str:
    """Return what the rows of a model are."""
    return str(ROW_HINT if has_stages(document) else TERRAIN_HINT)


def cell_name(document: Document | None, row: int, column: int) -> str:
    """Return what a cell is for."""
    if not has_stages(document):
        return _("LOD {column}").format(column=row)
    if column == OWN_VIEW:
        return _("damage {row}, own view").format(row=row)
    return _("damage {row}, LOD {column}").format(row=row, column=column)


def address_text(row: int, column: int) -> str:
    """Return where a cell is in the slot matrix."""
    return _("row {row}, column {column}").format(row=row, column=column)


def cell_hint(document: Document | None, cell: Cell, count: int, *, is_own: bool) -> list[str]:
    """Return what a cell is, and what choosing it would show.

    Parameters
    ----------
    count
        Triangles that it would show.
    is_own
        Whether the model has geometry in the cell itself.
    """
    words = [cell_name(document, *cell), address_text(*cell)]
    words.append(counted(count, "{count} triangle", "{count} triangles") if count else _("no geometry"))
    if count and not is_own:
        words.append(_("The cell is empty: other rows and finer levels are shown instead."))
    return words


def chosen_text(document: Document, view: ViewState) -> str:
    """Return which parts of a model a view shows."""
    return ", ".join(_chosen(document, view))


def _chosen(document: Document, view: ViewState) -> Iterator[str]:
    drawn = view.drawn
    if drawn.cells is CellRule.EXACT:
        yield address_text(view.parts.row, view.parts.column)
    elif drawn.is_destroyed:
        yield _("destroyed")
    elif has_stages(document):
        yield _("damage {row}").format(row=view.lod)
    if drawn.is_own_view:
        yield _("own view")
    elif not has_stages(document):
        yield cell_name(document, view.lod, view.group)
    elif drawn.has_auto_detail:
        yield _("LOD auto: {column}").format(column=view.group)
    elif drawn.cells is CellRule.GAME:
        own = view.group == OWN_VIEW
        yield _("own view, from outside") if own else _("LOD {column}").format(column=view.group)
    if drawn.cutaway is not Cutaway.ALL:
        yield _("inside only") if drawn.cutaway is Cutaway.INSIDE else _("outside only")
