"""Widths of the columns of a table: as wide as their content, until the user sets one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from imgui_bundle import imgui

from viewer.session.tables.table_view import TableColumn, TableView
from viewer.ui.widgets import theme

FIRST: Final = 64
"""Rows at the start of a table that are measured."""
SAMPLED: Final = 192
"""Rows that are measured in all of the table."""
WIDEST: Final = 26.0
"""Most font heights that a column gets by itself."""
_ARROW: Final = 1.2
"""Room in a header for the mark of the order, in font heights."""


class ColumnWidths:
    """Remembers, as long as the program runs, which columns the user has resized; owner: a panel."""

    def __init__(self) -> None:
        self._set_by_user: set[tuple[str, int]] = set()
        self._view: TableView | None = None
        self._widths: tuple[float, ...] = ()

    def set_up(self, view: TableView) -> None:
        """Declare the columns of the table just begun, the row numbers first.

        ImGui keeps the widths of a table by its name; those of another view are replaced, except those that
        the user has set.
        """
        is_news = view is not self._view
        if is_news:
            self._view = view
            self._widths = (_number_width(view.count), *(_width(it, view.count) for it in view.columns))
        for index, width in enumerate(self._widths):
            name = view.columns[index - 1].name if index else "#"
            flags = imgui.TableColumnFlags_.none if index else imgui.TableColumnFlags_.no_hide
            imgui.table_setup_column(name, flags | imgui.TableColumnFlags_.width_fixed, width)
        has_widths = imgui.internal.get_current_table().min_column_width > 0
        for index, width in enumerate(self._widths):
            if is_news and has_widths and (view.name, index) not in self._set_by_user:
                imgui.internal.table_set_column_width(index, width)

    def watch(self, view: TableView) -> None:
        """Take note of a column that the user resizes in this frame."""
        resized = imgui.internal.get_current_table().resized_column
        if resized >= 0:
            self._set_by_user.add((view.name, resized))


def sample(count: int) -> Sequence[int]:
    """Return the rows to measure: the first ones, and some in all of the table."""
    spread = np.linspace(0, max(count - 1, 0), min(count, SAMPLED)).astype(np.int64)
    rows: list[int] = np.union1d(np.arange(min(count, FIRST)), spread).tolist()
    return rows


def _number_width(count: int) -> float:
    return imgui.calc_text_size(f"{max(count - 1, 0)}").x + theme.em(_ARROW)


def _width(column: TableColumn, count: int) -> float:
    """The width of a column's header or of its widest text among some, the longest of which are measured."""
    longest = sorted(set(column.texts(sample(count))), key=len)[-8:]
    texts = max((imgui.calc_text_size(words).x for words in longest), default=0.0)
    header = imgui.calc_text_size(column.name).x + theme.em(_ARROW)
    return min(max(texts + theme.em(0.2), header), theme.em(WIDEST))
