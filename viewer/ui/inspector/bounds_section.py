"""Sections of the Inspector: stored bounds that are not as measured on the vertices; the box of a subtree."""

from __future__ import annotations

from typing import Final

from viewer.formats.msh.slots import HEADER
from viewer.geometry.transforms import Floats
from viewer.model.compare.bounds import BoundsDifference, bounds_differences, joined_bounds
from viewer.session.field_text import counted, numbers_text
from viewer.session.view.options.overlays import Overlay
from viewer.translation import _
from viewer.ui.fields.field_view import draw_facts
from viewer.ui.inspector.sheet import Sheet
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import labeled, section, text, wrapped

_MOST: Final = 24
"""Most differences in the list; the rest is counted."""
_NUMBERS: Final = 4
"""Numbers of a bound that are shown: a hull has 24."""


def draw_bounds(sheet: Sheet, slot: int | None = None) -> None:
    """Draw the differences of the whole file, or of a slot; measured once the section is opened."""
    title = labeled(_("Bounds, stored and measured"), f"bounds{'' if slot is None else '_slot'}")
    if not section(title, is_open_at_first=False):
        return
    document = sheet.document
    found = bounds_differences(document.model, document.choice.reading)
    if slot is not None:
        found = tuple(it for it in found if it.table != HEADER.name and it.row == slot)
    if not found:
        wrapped(_("All of them fit the vertices."), theme.GOOD)
        return
    text(counted(len(found), "{count} bound differs", "{count} bounds differ"), theme.WARNING)
    for difference in found[:_MOST]:
        _draw_difference(sheet, difference, has_row=slot is None)
    if len(found) > _MOST:
        text(_("and {count} more", count=len(found) - _MOST), theme.DIM)


def draw_subtree(sheet: Sheet, node: int, world: Floats) -> None:
    """Draw the box of a node and all below it as it is shown, stored and measured."""
    if not section(labeled(_("Bounds with all below"), "bounds_subtree"), is_open_at_first=False):
        return
    document = sheet.document
    chosen = document.shown(sheet.frame.view).draws & document.skeleton.below(node)[document.draws.node]
    found = joined_bounds(document.model, document.draws, world, chosen)
    if found is None:
        wrapped(_("Nothing of it is shown."), theme.DIM)
        return
    facts = {
        f"{title} {corner}": numbers_text(values)
        for title, bounds in ((_("stored boxes"), found.stored), (_("vertices"), found.measured))
        for corner, values in ((_("from"), bounds.low), (_("to"), bounds.high))
    }
    draw_facts("subtree", facts)
    if found.outside > 0:
        wrapped(
            _("Vertices lie up to {away:.4g} outside of the stored boxes.", away=found.outside), theme.WARNING
        )
    else:
        wrapped(_("The stored boxes hold all vertices."), theme.GOOD)
    if Overlay.SLOT_BOUNDS not in sheet.frame.view.overlays:
        wrapped(_("B draws both boxes: the stored one yellow, that of the vertices green."), theme.FAINT)


def _draw_difference(sheet: Sheet, difference: BoundsDifference, *, has_row: bool) -> None:
    if has_row and difference.table != HEADER.name:
        title = _("{field}, off by {away:.4g}", field=difference.field, away=difference.away)
        sheet.rows(f"bound{difference.field}{difference.row}", title, difference.table, (difference.row,))
    else:
        wrapped(_("{field}, off by {away:.4g}", field=difference.field, away=difference.away))
    for words, values in (
        (_("stored {numbers}"), difference.stored),
        (_("measured {numbers}"), difference.measured),
    ):
        more = " …" if len(values) > _NUMBERS else ""
        wrapped(str(words).format(numbers=numbers_text(values[:_NUMBERS]) + more), theme.DIM)
