"""The parts of a payload as a tree: every field with its value, meaning, offset, type and certainty."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.formats.meaning import meaning
from viewer.formats.part import Part, find
from viewer.formats.record import Status
from viewer.session.field_text import counted
from viewer.translation import Text, _, translated
from viewer.ui.fields.field_view import certainty
from viewer.ui.fields.part_rows import PartRow, children_of, left_out, more_text, opened_at_first, roots_of
from viewer.ui.fields.resource_links import ResourceLinks
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.table_grid import (
    TreeRow,
    TreeTable,
    flatten,
    indent,
    level_mark,
    rows_on_screen,
    set_up_columns,
)
from viewer.ui.widgets.widgets import copy_menu, identified, text, tooltip

_LEAST_WIDTH: Final = 26.0
"""Width of the columns below which they scroll sideways, font heights."""
_FLAGS: Final = (
    imgui.TableFlags_.scroll_y
    | imgui.TableFlags_.row_bg
    | imgui.TableFlags_.borders_inner_v
    | imgui.TableFlags_.resizable
    | imgui.TableFlags_.hideable
    | imgui.TableFlags_.no_saved_settings
)


class PartTree:
    """The parts of one payload; what is unfolded stays so while it has the same parts, also after an edit."""

    def __init__(self) -> None:
        self._table = TreeTable()
        self._root: Part | None = None
        self._choices: Collection[str] = ()
        self._open: set[str] = set()
        self._lines: list[TreeRow[PartRow]] | None = None
        self._chosen = ""
        self._scroll_to = ""

    def reveal(self, root: Part, table: str, row: int | None = None, field: str | None = None) -> None:
        """Unfold the tree down to a place, mark it, and bring it into view in the next frame."""
        self._show(root)
        in_row, in_field = f"[{row}]" if row is not None else "", f".{field}" if field else ""
        self._chosen = self._scroll_to = f"{table}{in_row}{in_field}"
        self._open |= {self._chosen[:end] for end in range(1, len(self._chosen)) if self._chosen[end] in ".["}
        self._lines = None

    def draw(self, root: Part, links: ResourceLinks, choices: Collection[str] = ()) -> None:
        """Draw the lines on screen with their links; `choices` are the readings in force."""
        self._show(root)
        self._choices = choices
        if self._lines is None:
            self._lines = flatten(roots_of(root), children_of, lambda line: line.path in self._open)
        lines = self._lines
        self._table.widen(theme.em(_LEAST_WIDTH))
        if not self._table.begin("##parts", 5, _FLAGS, lines):
            return
        widths = {_("Field"): -7, _("Value"): -6, _("Meaning"): -4, _("Offset"): 2.6, _("Type"): 3.6}
        set_up_columns(widths, has_headers=True)
        for index in rows_on_screen(len(lines), self._line_to_show(lines)):
            with identified(lines[index].key.path):
                self._draw_line(lines[index], links)
        imgui.end_table()

    def _show(self, root: Part) -> None:
        before = self._root
        if root is before:
            return
        self._root, self._lines = root, None
        if before is None or _names(before) != _names(root):
            self._chosen, self._open = "", {*opened_at_first(root)}

    def _line_to_show(self, lines: list[TreeRow[PartRow]]) -> int | None:
        requested, self._scroll_to = self._scroll_to, ""
        found = (index for index, line in enumerate(lines) if requested and line.key.path == requested)
        return next(found, None)

    def _draw_line(self, line: TreeRow[PartRow], links: ResourceLinks) -> None:
        row = line.key
        imgui.table_next_row()
        if row.path == self._chosen:
            imgui.table_set_bg_color(imgui.TableBgTarget_.row_bg0, theme.packed(theme.ACCENT, 0.3))
        imgui.table_next_column()
        self._draw_name(line, links)
        imgui.table_next_column()
        links.draw_field(row, row.text, theme.FAINT if line.has_children else theme.TEXT)
        imgui.table_next_column()
        draw_meaning(row, self._choices)
        for words in (f"0x{row.span[0]:X}", row.type_name):
            imgui.table_next_column()
            text(words, theme.FAINT)

    def _draw_name(self, line: TreeRow[PartRow], links: ResourceLinks) -> None:
        imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + indent(line.depth, 0.5))
        if not line.has_children and line.depth:
            side = imgui.get_text_line_height()
            imgui.dummy(ImVec2(side * 0.4, side))
        elif controls.fold_button(
            "fold",
            _("Show or hide what is inside"),
            is_open=line.is_open,
            has_children=line.has_children,
            is_in_tree=True,
        ):
            self._open ^= {line.key.path}
            self._lines = None
        imgui.same_line(0, theme.em(0.2))
        is_changed = links.is_changed(line.key)
        text(level_mark(line.depth) + links.name_of(line.key), theme.UNSAVED if is_changed else theme.DIM)
        tooltip(explanation(line.key), is_beside=True)
        copy_menu("copy_path", line.key.path, lambda: _draw_row_menu(line.key, links, self._root))


def _draw_row_menu(line: PartRow, links: ResourceLinks, root: Part | None) -> None:
    """Draw what can be done with a line, and with the row of a table."""
    links.draw_line_menu(line)
    found = re.fullmatch(r"(.*)\[(\d+)\]", line.path)
    part = find(root, found[1]) if found and root is not None else None
    if found is not None and part is not None:
        links.draw_row_menu(found[1], int(found[2]), part.count)


def _names(root: Part) -> list[str]:
    return [part.name for part in root.children]


def explanation(row: PartRow) -> list[str]:
    """Return what is known of a line: path, place, type, meaning, certainty."""
    start, size = row.span
    words = counted(size, "{count} byte", "{count} bytes")
    if row.field is not None:
        words = f"{row.type_name}, {words}"
    where = _("offset 0x{offset:X}, {size}", offset=start, size=words)
    unit = _("unit: {unit}", unit=Text.of(row.field.unit)) if row.field and row.field.unit else ""
    sure = certainty(row.status) if row.field is not None or row.status is not Status.PROVEN else ""
    more = more_text(left_out(row)) if left_out(row) else ""
    return [line for line in (row.path, where, row.doc, unit, sure, more) if line]


def draw_meaning(row: PartRow, choices: Collection[str] = ()) -> None:
    """Draw what a value stands for, else its unit, and a mark if the meaning of the field is not proven."""
    if row.status is not Status.PROVEN:
        text(fa.ICON_FA_CIRCLE_QUESTION, theme.STATUSES[row.status])
        tooltip(certainty(row.status))
        imgui.same_line(0, theme.em(0.3))
    words = (meaning(row.field, row.value, choices) or translated(row.field.unit or "")) if row.field else ""
    text(words, theme.DIM)
    tooltip(words)
