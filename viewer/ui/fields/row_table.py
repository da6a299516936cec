"""The rows of a part as a table with columns; each row unfolds to all its fields."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from imgui_bundle import ImVec2, imgui
from msgspec import Struct
from msgspec.structs import replace

from viewer.formats.part import Part
from viewer.translation import _
from viewer.ui.editing.field_editor import FieldEditor
from viewer.ui.fields.part_rows import PartRow, children_of
from viewer.ui.fields.part_tree import draw_meaning, explanation
from viewer.ui.fields.resource_links import ResourceLinks
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.table_grid import rows_on_screen, set_up_columns
from viewer.ui.widgets.widgets import copy_menu, identified, text, tooltip

_FLAGS: Final = (
    imgui.TableFlags_.row_bg
    | imgui.TableFlags_.borders_inner_v
    | imgui.TableFlags_.resizable
    | imgui.TableFlags_.hideable
    | imgui.TableFlags_.no_saved_settings
)
NUMBER_WIDTH: Final = 3.4
"""Width of the column of row numbers, in font heights."""


class RowColumn(Struct, frozen=True):
    """A column: its title, its width, and what draws the cell of a row.

    Attributes
    ----------
    width
        In font heights; of a column that stretches its share.
    is_stretched
        Whether it takes a share of the room that is left.
    """

    title: str
    width: float
    draw: Callable[[int], None]
    is_stretched: bool = False


class RowList:
    """A table; unfolded rows stay so while the rows are the same, also after an edit.

    Parameters
    ----------
    name
        Its ImGui id.

    Attributes
    ----------
    editor
        What edits its fields.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._part: Part | None = None
        self._open: set[int] = set()
        self._starts: npt.NDArray[np.int64] = np.zeros(1, np.int64)
        self._marked: int | None = None
        self._scroll_to: tuple[int, int] | None = None
        self.editor = FieldEditor()

    def reveal(self, part: Part, row: int, field: str = "") -> None:
        """Mark a row, unfold it if a field is meant, and bring that into view in the next frame."""
        self._show(part)
        names = [it.name for it in self._fields(row)] if 0 <= row < part.count else []
        if field in names:
            self._open.add(row)
            self._lay_out()
        self._marked = row
        self._scroll_to = (row, names.index(field) + 1 if field in names else 0)

    def draw(
        self,
        part: Part,
        columns: Sequence[RowColumn],
        links: ResourceLinks,
        height: float = 0.0,
        selected: int | None = None,
    ) -> int | None:
        """Draw the lines on screen; the last two columns show name and value of unfolded fields.

        Parameters
        ----------
        height
            Height of the table; 0 takes all the room, a negative value is as high as the lines.
        selected
            The row that is highlighted.

        Returns
        -------
        The row that was clicked in this frame, anywhere in its lines, or None.
        """
        self._show(part)
        links = replace(links, editor=self.editor)
        flags = _FLAGS if height < 0 else _FLAGS | imgui.TableFlags_.scroll_y
        if not imgui.begin_table(self._name, len(columns) + 1, flags, ImVec2(0, max(height, 0.0))):
            return None
        widths = {it.title: -it.width if it.is_stretched else it.width for it in columns}
        set_up_columns({"#": NUMBER_WIDTH, **widths}, has_headers=True)
        scroll_to, self._scroll_to = self._scroll_to, None
        requested = None
        if scroll_to is not None and 0 <= scroll_to[0] < part.count:
            requested = int(self._starts[scroll_to[0]]) + scroll_to[1]
        clicked = None
        for line in rows_on_screen(int(self._starts[-1]), requested):
            # The row whose lines contain this one: starts [0, 1, 6] put lines 1 to 5 into row 1.
            row = int(np.searchsorted(self._starts, line, "right")) - 1
            self._draw_line(row, line - int(self._starts[row]), columns, links, is_selected=row == selected)
            clicked = row if _is_line_clicked() else clicked
        imgui.end_table()
        return clicked

    def _show(self, part: Part) -> None:
        before = self._part
        if part is before:
            return
        self._part = part
        if before is None or (before.name, before.count) != (part.name, part.count):
            self._open, self._marked = set(), None
        self._lay_out()

    def _lay_out(self) -> None:
        """Count the lines above each row: a folded row is one line."""
        part = self._part
        counts = np.ones(part.count if part else 0, np.int64)
        for row in self._open:
            counts[row] += len(self._fields(row))
        self._starts = np.concatenate(([0], np.cumsum(counts)))

    def _fields(self, row: int) -> list[PartRow]:
        return [] if self._part is None else children_of(row_of(self._part, row))

    def _draw_line(
        self, row: int, inside: int, columns: Sequence[RowColumn], links: ResourceLinks, *, is_selected: bool
    ) -> None:
        imgui.table_next_row()
        if is_selected:
            imgui.table_set_bg_color(imgui.TableBgTarget_.row_bg0, theme.packed(theme.ACCENT, 0.15))
        if row == self._marked:
            imgui.table_set_bg_color(imgui.TableBgTarget_.row_bg0, theme.packed(theme.ACCENT, 0.3))
        imgui.table_next_column()
        with identified(row):
            if inside:
                with identified(inside):
                    _draw_field(self._fields(row)[inside - 1], len(columns), links)
                return
            self._draw_number(row, links)
            for column in columns:
                imgui.table_next_column()
                with identified(column.title):
                    column.draw(row)

    def _draw_number(self, row: int, links: ResourceLinks) -> None:
        if controls.fold_button(f"fold{row}", _("Show or hide all fields"), is_open=row in self._open):
            self._open ^= {row}
            self._lay_out()
        imgui.same_line(0, theme.em(0.2))
        part = self._part
        is_changed = part is not None and links.is_changed(row_of(part, row))
        text(str(row), theme.UNSAVED if is_changed else theme.FAINT)
        if part is not None:
            copy_menu("row_menu", str(row), lambda: links.draw_row_menu(part.name, row, part.count))


def _is_line_clicked() -> bool:
    """Whether the mouse button went down on the line that was just drawn."""
    # The button under the mouse has become active already.
    is_inside = imgui.is_window_hovered(imgui.HoveredFlags_.allow_when_blocked_by_active_item)
    if not imgui.is_mouse_clicked(imgui.MouseButton_.left) or not is_inside:
        return False
    margin = imgui.get_style().cell_padding.y
    above = imgui.get_mouse_pos().y - imgui.get_item_rect_min().y
    return bool(-margin <= above < imgui.get_text_line_height() + margin)


def row_of(part: Part, row: int) -> PartRow:
    """Return a row of a table, or of a list, as a line of the tree of parts."""
    if part.is_list:
        return PartRow(f"{part.name}[{row}]", str(row), part.children[row])
    return PartRow(f"{part.name}[{row}]", str(row), part, row)


def _draw_field(line: PartRow, columns: int, links: ResourceLinks) -> None:
    """Draw a field of an unfolded row: its name in the last column but one, its value in the last."""
    imgui.table_set_column_index(columns - 1)
    text(line.name, theme.DIM)
    tooltip(explanation(line))
    copy_menu("copy_path", line.path, lambda: links.draw_line_menu(line))
    imgui.table_set_column_index(columns)
    links.draw_field(line, line.text, theme.TEXT)
    imgui.same_line(0, theme.em(0.8))
    draw_meaning(line)
