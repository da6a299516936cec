"""The rows that the table of an overview draws: those of the last answer, with a row for each group."""

from __future__ import annotations

import numpy as np

from viewer.model.tables.table import ModelTable
from viewer.session.games.overviews import ArrangedOverview, ShownGroup
from viewer.session.tables.table_view import RowQuery
from viewer.ui.games.overview_groups import OverviewGroups

QUERY = RowQuery(ModelTable("overview", 3, ()), "walker")


def test_each_answer_is_shown_also_at_the_place_of_another_in_memory() -> None:
    """What is drawn until an answer arrives is made for one frame; the answer may take its memory."""
    groups = OverviewGroups()
    for rows in ([0, 1, 2], [2, 0], [1]) * 10:
        arranged = ArrangedOverview(QUERY, np.array(rows))
        assert groups.order(arranged).tolist() == rows
        del arranged


def test_a_row_of_its_own_stands_before_each_group() -> None:
    found = tuple(ShownGroup(value, np.array(rows), {}) for value, rows in (("a", [2, 0]), (None, [1])))
    arranged = ArrangedOverview(QUERY, np.array([2, 0, 1]), "", "kind", found)
    groups = OverviewGroups()
    assert groups.order(arranged).tolist() == [-1, 2, 0, -2, 1]
    assert groups.visible(arranged).tolist() == [2, 0, 1]
