"""Cells of the slot matrix as words: LOD and group, and what a view shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from viewer.model.mesh import cell_names
from viewer.model.mesh.cell_names import CellNames
from viewer.model.mesh.shown import OWN_VIEW, Cell, CellRule, Cutaway
from viewer.session.opened.document import Document
from viewer.session.view.view_state import ViewState
from viewer.translation import Message, _, translated
from viewer.ui.widgets.field_text import counted

LOD_HINT: Final = Message("LOD: row of the slot matrix, 0 to 2")
GROUP_HINT: Final = Message("Group: column of the slot matrix, 0 to 4")
LIFE_0: Final = Message("Destroyed is life 0: only nodes with flag 0x0100 are drawn, in their last LOD.")


def is_terrain(document: Document | None) -> bool:
    """Tell whether a document is a terrain, which has no damage, no inside and no own view."""
    return document is not None and document.is_terrain


def names_of(document: Document | None) -> CellNames:
    """Return the names of LODs and groups in the reading of a model, by default with their meaning."""
    return cell_names.FIELD if document is None else document.cell_names


def lod_name(document: Document | None, lod: int) -> str:
    """Return the name of a row: ``LOD 1 - damaged``."""
    return translated(names_of(document).lod(lod))


def group_name(document: Document | None, group: int) -> str:
    """Return the name of a column: ``group 2 - far``."""
    return translated(names_of(document).group(group))


def cell_name(document: Document | None, lod: int, group: int) -> str:
    """Return the name of a cell: ``LOD 1 - damaged, group 2 - far``."""
    return translated(names_of(document).cell(lod, group))


def cell_hint(document: Document | None, cell: Cell, count: int, *, is_own: bool) -> list[str]:
    """Return what a cell is, and what choosing it would show.

    Parameters
    ----------
    count
        Triangles that it would show.
    is_own
        Whether the model has geometry in the cell itself.
    """
    words = [cell_name(document, *cell)]
    words.append(counted(count, "{count} triangle", "{count} triangles") if count else _("no geometry"))
    if count and not is_own:
        words.append(_("The cell is empty: other LODs and nearer groups are shown instead."))
    return words


def chosen_text(document: Document, view: ViewState) -> str:
    """Return which parts of a model a view shows."""
    return ", ".join(_chosen(document, view))


def _chosen(document: Document, view: ViewState) -> Iterator[str]:
    choice, drawn = view.parts, view.drawn
    yield _("destroyed") if choice.is_destroyed else lod_name(document, choice.lod)
    yield group_name(document, choice.group)
    if is_terrain(document):
        return
    if choice.group == OWN_VIEW and not drawn.is_own_view and choice.rule is CellRule.GAME:
        yield _("from outside")
    if drawn.has_auto_detail and not drawn.is_own_view and not document.is_in_seed_reading:
        yield _("chosen by size")
    if drawn.cutaway is not Cutaway.ALL:
        yield _("inside only") if drawn.cutaway is Cutaway.INSIDE else _("outside only")
