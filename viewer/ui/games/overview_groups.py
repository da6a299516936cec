"""The groups in the table of an overview: a row with the count and the sums of each, which folds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.model.tables.table import ModelTable
from viewer.operations.overview.columns import COLUMNS, Value
from viewer.session.games.overviews import ArrangedOverview, ShownGroup
from viewer.session.tables.table_view import Order
from viewer.translation import _, count_text
from viewer.ui.context import UiContext
from viewer.ui.games.overview_grid import title_of
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.widgets import labeled, readable, text, tooltip

CHOICE_WIDTH: Final = 11.0
"""Width of the choice of the column, font heights."""


def draw_group_choice(frame: UiContext, group_by: str) -> None:
    """Draw the choice of the column by whose values rows are grouped; the settings remember it."""
    choices = {"": _("not grouped"), **{name: str(it.title) for name, it in COLUMNS.items()}}
    shown = _("groups: {column}", column=choices[group_by]) if group_by else ""
    chosen = controls.choose(
        "###overview_group_by", choices, group_by, CHOICE_WIDTH, shown=shown, prefix="by_"
    )
    tooltip(_("Rows with the same value in a column stand together, with their count and their sums."))
    if chosen != group_by:
        frame.later(frame.control.overviews.remember, group_by=chosen)


class OverviewGroups:
    """The folded groups, and the rows of the table that follow; owner: the table."""

    def __init__(self) -> None:
        self._folded: frozenset[tuple[str, Value]] = frozenset()
        self._order, self._titles = Cached(_with_groups), Cached(_titles)

    def order(self, arranged: ArrangedOverview) -> Order:
        """The rows to draw; below zero those of groups, -1 for the first, without the rows of folded ones."""
        return self._order.of((arranged, self._folded), arranged, self._folded)

    def titles(self, arranged: ArrangedOverview, view: ModelTable) -> Mapping[str, tuple[str, ...]]:
        """The titles of columns, and the longest text of each in the rows of groups."""
        return self._titles.of((arranged, view), arranged, view)

    def visible(self, arranged: ArrangedOverview) -> Order:
        """The rows of entries that are not folded."""
        order = self.order(arranged)
        return order[order >= 0] if arranged.groups else order

    def draw(self, arranged: ArrangedOverview, view: ModelTable, row: int) -> None:
        """Draw the cells of the row of a group: its value and count, and the sums; a click folds it."""
        group = self._draw_fold(arranged, row)
        for number, column in enumerate(view.shown):
            if not imgui.table_next_column():
                continue
            if number == 0:
                text(_title(arranged.group_by, group))
            elif column.name in group.totals:
                text(count_text(group.totals[column.name]), theme.DIM)

    def draw_heading(self, arranged: ArrangedOverview, view: ModelTable, row: int) -> None:
        """Draw a line with what `draw` has in cells."""
        group = self._draw_fold(arranged, row)
        imgui.same_line(0, theme.em(0.5))
        text(_title(arranged.group_by, group))
        columns = [it.name for it in view.shown if it.name in group.totals]
        sums = (f"{title_of(name)} {count_text(group.totals[name])}" for name in columns)
        imgui.same_line(0, theme.em(1))
        text("   ".join(sums), theme.DIM)

    def _draw_fold(self, arranged: ArrangedOverview, row: int) -> ShownGroup:
        """Draw the sign of a group, over the whole width; a click folds the group, with Shift all of them."""
        group = arranged.groups[-1 - row]
        key = arranged.group_by, group.value
        is_folded = key in self._folded
        icon = fa.ICON_FA_CARET_RIGHT if is_folded else fa.ICON_FA_CARET_DOWN
        flags = int(imgui.SelectableFlags_.span_all_columns) | int(imgui.SelectableFlags_.allow_overlap)
        if imgui.selectable(labeled(icon, f"group{-1 - row}"), False, flags)[0]:
            is_all = imgui.get_io().key_shift
            others = {(arranged.group_by, it.value) for it in arranged.groups} if is_all else {key}
            self._folded = self._folded - others if is_folded else self._folded | others
        tooltip(_("Click: fold or unfold; with Shift: all groups"))
        return group


def _titles(arranged: ArrangedOverview, view: ModelTable) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for column in view.shown:
        totals = [group.totals[column.name] for group in arranged.groups if column.name in group.totals]
        found[column.name] = title_of(column.name), *(count_text(it) for it in totals and [max(totals)])
    return found


def _title(group_by: str, group: ShownGroup) -> str:
    """The value of a group, and the number of its rows."""
    value = COLUMNS[group_by].none if group.value is None else group.value
    return f"{readable(str(value))}  ({count_text(len(group.rows))})"


def _with_groups(arranged: ArrangedOverview, folded: frozenset[tuple[str, Value]]) -> Order:
    if not arranged.groups:
        return arranged.rows
    pieces: list[Order] = []
    for number, group in enumerate(arranged.groups):
        pieces.append(np.array([-1 - number], np.int64))
        if (arranged.group_by, group.value) not in folded:
            pieces.append(group.rows)
    return np.concatenate(pieces)
