"""One cell: its value as text; numbers of rows are links."""

from __future__ import annotations

from imgui_bundle import imgui

from viewer.model.store.place import Place
from viewer.session.tables.table_view import BETWEEN, BETWEEN_ROWS, TableColumn
from viewer.ui.fields.field_view import Links
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import labeled, text


def draw_cell(column: TableColumn, row: int, links: Links, color: Color) -> None:
    """Draw a value; each number that a link can follow is one."""
    if not column.refers_to:
        text(column.texts([row])[0], color)
        return
    width = column.column.shape[-1] if column.column.shape else 1
    for number, (words, target) in enumerate(column.pieces(row)):
        if number:
            imgui.same_line(0, 0)
            text(BETWEEN if number % width else BETWEEN_ROWS, color)
            imgui.same_line(0, 0)
        place = None if target is None else Place(links.address, column.refers_to, target)
        if place is not None and links.reaches(place):
            links.draw(labeled(words, f"{column.name}{row}.{number}"), place)
        else:
            text(words, color)
