"""The references of an object: a row of the registry, each of its resources a link."""

from __future__ import annotations

import numpy as np

from viewer.formats.objects import REFERENCE
from viewer.formats.part import Part, find
from viewer.formats.text import decode, until_nul
from viewer.model.kinds.registry import by_id, presumed_id
from viewer.model.store.place import Place
from viewer.session.opened.opened_resource import OpenedResource
from viewer.translation import Message, _
from viewer.ui.context import UiContext
from viewer.ui.fields.part_rows import field_of
from viewer.ui.fields.resource_links import ResourceLinks
from viewer.ui.fields.row_table import RowColumn, RowList, row_of
from viewer.ui.widgets import theme
from viewer.ui.widgets.icons import icon_of
from viewer.ui.widgets.widgets import text


class ObjectView:
    """The references of one object."""

    id = "references"
    title = Message("References")

    def __init__(self) -> None:
        self._table = RowList("##references")

    def reveal(self, opened: OpenedResource, place: Place) -> bool:
        """Show the row of a place; tell whether it is one of a reference."""
        part = _references(opened)
        if part is None or place.table != REFERENCE.name or place.row is None:
            return False
        self._table.reveal(part, place.row, place.field)
        return True

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw the references."""
        part = _references(opened)
        if part is not None:
            links = ResourceLinks(frame, opened.links, self._table.editor, kind=opened.kind)
            self._table.draw(part, _columns(opened, part, links), links)


def _references(opened: OpenedResource) -> Part | None:
    return find(opened.parts, REFERENCE.name) if opened.parts else None


def _columns(opened: OpenedResource, part: Part, links: ResourceLinks) -> tuple[RowColumn, ...]:
    rows = opened.value.rows

    def draw_kind(row: int) -> None:
        kind = presumed_kind(name_of(rows[row], "resource"))
        text(f"{icon_of(kind)}  {by_id(kind).title}" if kind else _("object"), theme.DIM)

    def draw_field(row: int, field: str) -> None:
        links.draw_field(field_of(row_of(part, row), field), name_of(rows[row], field), theme.TEXT)

    return (
        RowColumn(_("Kind"), 9, draw_kind),
        RowColumn(_("Resource"), 1.2, lambda row: draw_field(row, "resource"), is_stretched=True),
        RowColumn(_("Archive"), 1, lambda row: draw_field(row, "archive"), is_stretched=True),
    )


def name_of(row: np.void, field: str) -> str:
    """Return the text of a name, up to its NUL."""
    return decode(until_nul(row[field].tobytes()))


def presumed_kind(name: str) -> str:
    """Return the kind that the suffix of a name stands for; empty for a name without a suffix."""
    return presumed_id(name.strip())
