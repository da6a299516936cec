"""The values that an import changes by table and field, with their number; each is unfolded with a click."""

from __future__ import annotations

from typing import Final

from imgui_bundle import imgui
from msgspec import Struct

from viewer.model.compare.differences import ChangeKind, Difference
from viewer.model.compare.edit_report import ChangedValue, values_of
from viewer.model.compare.row_summary import is_of_pixels
from viewer.model.store.address import Address
from viewer.operations.imports.plan import ImportPlan
from viewer.session.field_text import counted
from viewer.translation import _
from viewer.ui.edits.value_list import WHATS, change_text, draw_change, narrowed, place_of
from viewer.ui.widgets import theme
from viewer.ui.widgets.controls import fold_button
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import copy_menu, cut, identified, readable, text, tooltip

MOST_OPEN: Final = 50
"""Values that are listed without a click."""

_Group = tuple[Address, Difference]


class _ValueLine(Struct, frozen=True):
    """The heading of a group, or one of its values."""

    group: int
    value: ChangedValue | None = None


class ValueGroups:
    """Draws the values, and keeps which groups are open; owner: the import sheet."""

    def __init__(self) -> None:
        self._groups: tuple[_Group, ...] = ()
        self._lines: list[_ValueLine] = []
        self._open: set[int] = set()

    def draw(self, sheet: ImportPlan) -> None:
        """Draw a row for each group, and one for each value of those that are open."""
        if sheet.differences is not self._groups:
            self._groups = sheet.differences
            self._open = {*range(len(self._groups))} if sheet.value_count <= MOST_OPEN else set()
            self._list()
        if not imgui.begin_table(
            "##values", 2, imgui.TableFlags_.no_saved_settings | imgui.TableFlags_.row_bg
        ):
            return
        imgui.table_setup_column("where", imgui.TableColumnFlags_.width_stretch, 1.3)
        imgui.table_setup_column("what", imgui.TableColumnFlags_.width_stretch, 2.0)
        clicked: int | None = None
        for number in rows_on_screen(len(self._lines)):
            line = self._lines[number]
            imgui.table_next_row()
            imgui.table_next_column()
            if line.value is not None:
                _draw_value(line.value, number)
            elif self._draw_heading(line.group):
                clicked = line.group
        imgui.end_table()
        if clicked is not None:
            self._open ^= {clicked}
            self._list()

    def _list(self) -> None:
        self._lines = []
        for number, group in enumerate(self._groups):
            self._lines.append(_ValueLine(number))
            if number in self._open:
                self._lines += [_ValueLine(number, it) for it in values_of([group])]

    def _draw_heading(self, number: int) -> bool:
        """Draw the table and field of a group, and how many values it has; tell whether it was clicked."""
        address, it = self._groups[number]
        with identified(f"group{number}"):
            is_clicked = fold_button(
                "fold",
                _("Show or hide each of them"),
                is_open=number in self._open,
                has_children=not is_of_pixels(it),
                is_in_tree=True,
            )
        imgui.same_line()
        text(f"{it.table}.{it.field}" if it.field else it.table, theme.TEXT)
        tooltip(readable(str(address)))
        if number == 0 or self._groups[number - 1][0] != address:
            imgui.same_line()
            cut(readable(address.name), theme.FAINT)
        imgui.table_next_column()
        if it.field:
            words = counted(it.count, "{count} value", "{count} values")
        else:
            words = counted(it.count, "{count} row {what}", "{count} rows {what}", what=WHATS[it.what])
        text(words, theme.DIM if it.what is ChangeKind.CHANGED else theme.UNSAVED)
        return is_clicked


def _draw_value(value: ChangedValue, number: int) -> None:
    """Draw where a value is, what it was, and what it will be."""
    value = narrowed(value)
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + theme.em(1.2))
    text(place_of(value), theme.DIM)
    tooltip([place_of(value), readable(str(value.address))])
    copy_menu(f"value{number}", f"{value.address} {place_of(value)}: {change_text(value)}")
    imgui.table_next_column()
    draw_change(value)
