"""The widths of the columns of a table: they fit their content until the user resizes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from imgui_bundle import imgui

from viewer.formats.msh.guesses import is_color
from viewer.model.tables.column import Column
from viewer.model.tables.table import ModelTable
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
    """Remembers, as long as the program runs, how wide the user has made columns; owner: a panel."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], float] = {}
        self._counts: dict[str, int] = {}
        self._view: ModelTable | None = None
        self._table = ""
        self._widths: tuple[float, ...] = ()

    def set_up(
        self,
        view: ModelTable,
        table: str,
        titles: Mapping[str, tuple[str, ...]],
        known: Mapping[str, float],
    ) -> None:
        """Declare the columns of the table just begun, the row numbers first.

        ImGui keeps the widths of a table by its id; those of another view are replaced, except those that the
        user has given.

        Parameters
        ----------
        titles
            Texts besides the values that have to fit, if that is not the name of the column alone.
        known
            Widths that the user gave columns before, font heights.
        """
        # The user's own columns come and go with an overlay, in the same view.
        is_news = view is not self._view or table != self._table or len(self._widths) != len(view.shown) + 1
        if is_news:
            self._view, self._table = view, table
            numbers = imgui.calc_text_size(f"{max(view.count - 1, 0)}").x + theme.em(_ARROW)
            self._widths = numbers, *(self._width(it, view, titles, known) for it in view.shown)
        for index, width in enumerate(self._widths):
            column = view.shown[index - 1] if index else None
            name = "#" if column is None else column.name
            flags = imgui.TableColumnFlags_.no_hide if column is None else imgui.TableColumnFlags_.none
            if column is not None and column.is_quantity:
                flags = imgui.TableColumnFlags_.prefer_sort_descending  # sorted for what is largest
            imgui.table_setup_column(name, flags | imgui.TableColumnFlags_.width_fixed, width)
        # In its first frame, also with another number of columns, as in an older version of the format, the
        # table has no columns to resize yet; it takes the widths given above then.
        has_same_columns = self._counts.get(table) == len(view.shown)
        has_widths = has_same_columns and imgui.internal.get_current_table().min_column_width > 0
        self._counts[table] = len(view.shown)
        for index, width in enumerate(self._widths):
            if is_news and has_widths:
                imgui.internal.table_set_column_width(index, width)

    def _width(
        self,
        column: Column,
        view: ModelTable,
        titles: Mapping[str, tuple[str, ...]],
        known: Mapping[str, float],
    ) -> float:
        """The width that the user gave a column, else that of its content, pixels."""
        given = self._given.get((view.name, column.name), known.get(column.name))
        others = titles.get(column.name, (column.name,))
        return _width(column, view.count, others) if given is None else theme.em(given)

    def watch(self, view: ModelTable, index: int) -> None:
        """Take note of the width of a column, whose header is drawn next, if the user resizes it."""
        table = imgui.internal.get_current_table()
        if index + 1 in (table.resized_column, table.last_resized_column):
            width = imgui.get_content_region_avail().x / theme.em()
            self._given[view.name, view.shown[index].name] = width

    def given(self, view: ModelTable) -> dict[str, float]:
        """The widths that the user has given columns of a table, by their names, font heights."""
        return {name: width for (table, name), width in self._given.items() if table == view.name}


def sample(count: int) -> Sequence[int]:
    """Return the rows to measure: the first ones, and some in all of the table."""
    spread = np.linspace(0, max(count - 1, 0), min(count, SAMPLED)).astype(np.int64)
    rows: list[int] = np.union1d(np.arange(min(count, FIRST)), spread).tolist()
    return rows


def _width(column: Column, count: int, titles: tuple[str, ...]) -> float:
    """The width of a column's header or of its widest text among some, the longest of which are measured."""
    # Measuring text is slow, counting letters is not; the widest is nearly always among the longest.
    longest = sorted(set(column.texts(sample(count))), key=len)[-8:]
    texts = max((imgui.calc_text_size(words).x for words in longest), default=0.0)
    if column.field is not None and is_color(column.field):
        texts += theme.em(2.2)  # the swatch before it
    header = max(imgui.calc_text_size(it).x for it in titles) + theme.em(_ARROW)
    return min(max(texts + theme.em(0.2), header), theme.em(WIDEST))
