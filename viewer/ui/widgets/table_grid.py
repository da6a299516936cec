"""A table of any length: only the rows on screen are formatted and drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from imgui_bundle import ImVec2, imgui

from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import copy_menu, text, tooltip

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
class GridColumn:
    """One column: its title, the text of a row, what its tooltip says."""

    title: str
    cell: Callable[[int], str]
    hint: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Pointed:
    """The row that the pointer rests on, and whether it was clicked."""

    row: int
    is_clicked: bool


def draw_grid(
    name: str,
    count: int,
    columns: Sequence[GridColumn],
    *,
    chosen: int | None = None,
    marked: str = "",
    scroll_to: int | None = None,
) -> Pointed | None:
    """Draw rows 0 to `count`, the row number first; return the row that the pointer rests on, if any.

    Parameters
    ----------
    chosen
        The row to show as selected.
    marked
        Title of the column to highlight in that row, and to bring into view with it.
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
    pointed = None
    for row in rows_on_screen(count, scroll_to):
        seen = _draw_row(row, columns, marked, is_chosen=row == chosen, is_news=row == scroll_to)
        pointed = seen or pointed
    imgui.end_table()
    return pointed


def _draw_headers(columns: Sequence[GridColumn]) -> None:
    imgui.table_next_row(imgui.TableRowFlags_.headers)
    imgui.table_next_column()
    imgui.table_header("#")
    for column in columns:
        imgui.table_next_column()
        imgui.table_header(column.title)
        if column.hint:
            tooltip(column.hint)


def rows_on_screen(count: int, scroll_to: int | None = None) -> Iterator[int]:
    """Yield the visible rows of the current table; draw each row before advancing the iterator.

    Parameters
    ----------
    scroll_to
        A row to scroll into view.
    """
    clipper = imgui.ListClipper()
    clipper.begin(count)
    if scroll_to is not None:
        clipper.include_item_by_index(scroll_to)
    while clipper.step():
        for row in range(clipper.display_start, clipper.display_end):
            yield row
            if row == scroll_to and not _is_in_view():
                imgui.set_scroll_here_y(0.5)
    clipper.end()


def _is_in_view() -> bool:
    """Tell whether the row that was just drawn lies inside the table with all its height."""
    top, bottom = imgui.get_item_rect_min().y, imgui.get_item_rect_max().y
    start = imgui.get_window_pos().y + imgui.get_text_line_height_with_spacing()
    return start <= top and bottom <= imgui.get_window_pos().y + imgui.get_window_height()


def _draw_row(
    row: int, columns: Sequence[GridColumn], marked: str, *, is_chosen: bool, is_news: bool
) -> Pointed | None:
    imgui.table_next_row()
    imgui.table_next_column()
    flags = imgui.SelectableFlags_.span_all_columns | imgui.SelectableFlags_.allow_overlap
    is_clicked, _ = imgui.selectable(f"{row}", is_chosen, flags, ImVec2(0, 0))
    pointed = Pointed(row, is_clicked) if imgui.is_item_hovered() or is_clicked else None
    cells = [column.cell(row) for column in columns]
    copy_menu(f"copy{row}", "\t".join([str(row), *cells]))
    for column, cell in zip(columns, cells, strict=True):
        imgui.table_next_column()
        is_marked = is_chosen and column.title == marked
        text(cell, theme.SELECTION if is_marked else theme.TEXT)
        if is_marked and is_news:
            imgui.set_scroll_here_x(0.5)
    return pointed
