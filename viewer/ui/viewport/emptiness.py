"""Why a view shows nothing of a model, and what would show something."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import NamedTuple

from viewer.model.mesh.part_choice import Cutaway
from viewer.session.opened.document import Document
from viewer.session.view.view_state import ViewState, show_all, with_cell_here, with_drawn, with_lod
from viewer.translation import _
from viewer.ui.context import ViewChange
from viewer.ui.widgets.cell_text import cell_name
from viewer.ui.widgets.field_text import counted


class Remedy(NamedTuple):
    """A sentence, the text of a button or nothing, and what the button does."""

    reason: str
    offer: str
    change: ViewChange
    moves_camera: bool = False


def remedy(document: Document, view: ViewState) -> Remedy:
    """Return why a view shows nothing, and the smallest change that would show something."""
    switches = [*_switches(view)]
    together = _together(switches)
    for found in (*switches, together):
        if document.shown(found.change(view)).triangle_count:
            return found
    return _other_cell(document, together.change(view), together)


def _switches(view: ViewState) -> Iterator[Remedy]:
    """The switches of the view that may hide everything, each with its way back."""
    if view.hidden or view.isolated is not None:
        yield Remedy(_("everything in this cell is hidden"), _("Show all"), show_all)
    if view.drawn.cutaway is not Cutaway.ALL:
        is_inside = view.drawn.cutaway is Cutaway.INSIDE
        words = _("no internal parts in this cell") if is_inside else _("no external parts in this cell")
        yield Remedy(words, _("Show all parts"), lambda v: with_drawn(v, cutaway=Cutaway.ALL))
    if view.drawn.is_own_view:
        words = _("the own view (group 4) shows nothing of this model")
        yield Remedy(words, _("Show from outside"), lambda v: with_drawn(v, is_own_view=False), True)
    if view.drawn.is_destroyed:
        words = _("nothing is left of this model when it is destroyed")
        yield Remedy(words, _("Show it whole"), lambda v: with_lod(v, 0))


def _together(switches: list[Remedy]) -> Remedy:
    """All the ways back at once, for switches of which none hides everything by itself."""

    def change(view: ViewState) -> ViewState:
        return reduce(lambda changed, each: each.change(changed), switches, view)

    words = _("several switches together hide everything of this model")
    return Remedy(words, _("Show all parts"), change, any(each.moves_camera for each in switches))


def _other_cell(document: Document, view: ViewState, together: Remedy) -> Remedy:
    """The way to another cell; `view` is what `together` makes of the view."""
    choice = view.parts
    cell = document.chooser.nearest_cell(choice)
    if cell is None:
        return Remedy(_("this model has no geometry in any cell"), "", lambda v: v)
    words = _("no geometry in {cell}").format(cell=cell_name(document, choice.lod, choice.group))
    count = int(document.chooser.triangle_counts(choice)[cell])
    offer = _("Show {cell}  ({triangles})").format(
        cell=cell_name(document, *cell), triangles=counted(count, "{count} triangle", "{count} triangles")
    )
    return Remedy(words, offer, lambda v: with_cell_here(together.change(v), *cell), together.moves_camera)
