"""A table of any length: only the rows on screen are formatted and drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from imgui_bundle import ImVec2, imgui

from viewer.ui import theme
from viewer.ui.widgets import copy_menu, text, tooltip

_FLAGS = (
    imgui.TableFlags_.row_bg
    | imgui.TableFlags_.borders_inner_v
    | imgui.TableFlags_.resizable
    | imgui.TableFlags_.hideable
    | imgui.TableFlags_.reorderable
    | imgui.TableFlags_.scroll_x
    | imgui.TableFlags_.scroll_y
    | imgui.TableFlags_.sizing_fixed_fit
)


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its title, the text of a row, what its tooltip says."""

    title: str
    cell: Callable[[int], str]
    hint: Sequence[str] = ()


def draw_grid(
    name: str,
    count: int,
    columns: Sequence[Column],
    *,
    chosen: int | None = None,
    scroll_to: int | None = None,
) -> int | None:
    """Draw rows 0 to `count`, the row number first; return the row that was clicked, if any.

    Parameters
    ----------
    chosen
        The row to show as selected.
    scroll_to
        A row to bring into view in this frame.
    """
    if not imgui.begin_table(name, len(columns) + 1, _FLAGS, imgui.get_content_region_avail()):
        return None
    imgui.table_setup_scroll_freeze(1, 1)
    imgui.table_setup_column("#", imgui.TableColumnFlags_.no_hide)
    for column in columns:
        imgui.table_setup_column(column.title)
    _draw_headers(columns)
    bring_into_view(scroll_to)
    clicked = _draw_rows(count, columns, chosen)
    imgui.end_table()
    return clicked


def _draw_headers(columns: Sequence[Column]) -> None:
    imgui.table_next_row(imgui.TableRowFlags_.headers)
    imgui.table_next_column()
    imgui.table_header("#")
    for column in columns:
        imgui.table_next_column()
        imgui.table_header(column.title)
        if column.hint:
            tooltip(column.hint)


def bring_into_view(row: int | None) -> None:
    """Scroll the table just begun until the row is in the middle, unless it is on screen already."""
    if row is None:
        return
    height = imgui.get_text_line_height() + 2 * imgui.get_style().cell_padding.y
    top, room = row * height - imgui.get_scroll_y(), imgui.get_window_height()
    if not height < top < room - 2 * height:
        imgui.set_scroll_y(max(0.0, (row + 0.5) * height - room / 2))


def _draw_rows(count: int, columns: Sequence[Column], chosen: int | None) -> int | None:
    clicked = None
    clipper = imgui.ListClipper()
    clipper.begin(count)
    while clipper.step():
        for row in range(clipper.display_start, clipper.display_end):
            if _draw_row(row, columns, is_chosen=row == chosen):
                clicked = row
    clipper.end()
    return clicked


def _draw_row(row: int, columns: Sequence[Column], *, is_chosen: bool) -> bool:
    imgui.table_next_row()
    imgui.table_next_column()
    flags = imgui.SelectableFlags_.span_all_columns | imgui.SelectableFlags_.allow_overlap
    is_clicked, _ = imgui.selectable(f"{row}", is_chosen, flags, ImVec2(0, 0))
    cells = [column.cell(row) for column in columns]
    copy_menu(f"copy{row}", "\t".join([str(row), *cells]))
    for cell in cells:
        imgui.table_next_column()
        text(cell, theme.TEXT)
    return is_clicked
