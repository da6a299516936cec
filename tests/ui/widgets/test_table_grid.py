"""Which rows can be seen, and where to scroll for one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from viewer.ui.widgets.table_grid import TallRows

ROWS = TallRows([10, 30, 10, 10, 40])
"""From 0, 10, 40, 50 and 60 to 100."""


def test_rows_that_are_seen_in_part_count() -> None:
    assert ROWS.total == 100
    assert list(ROWS.between(0, 100)) == [0, 1, 2, 3, 4]
    assert list(ROWS.between(10, 40)) == [1]
    assert list(ROWS.between(9, 41)) == [0, 1, 2]
    assert list(ROWS.between(100, 200)) == []


def test_no_rows_have_no_height() -> None:
    assert TallRows([]).total == 0
    assert list(TallRows([]).between(0, 50)) == []


@given(st.lists(st.integers(1, 50), min_size=1), st.integers(0, 500), st.integers(1, 500))
def test_every_height_between_belongs_to_a_row_seen(heights: list[int], top: int, room: int) -> None:
    rows = TallRows(heights)
    ends = np.cumsum(heights)
    expected = [row for row, end in enumerate(ends) if end > top and end - heights[row] < top + room]
    assert list(rows.between(top, top + room)) == expected


def test_a_row_in_view_stays_where_it_is() -> None:
    assert ROWS.scroll_to(2, top=20, room=40) == 20


def test_another_row_comes_to_the_middle_as_far_as_there_is_something_to_scroll() -> None:
    assert ROWS.scroll_to(1, top=70, room=20) == 15
    assert ROWS.scroll_to(0, top=70, room=30) == 0
    assert ROWS.scroll_to(4, top=0, room=50) == 50
    assert ROWS.scroll_to(4, top=0, room=200) == 0
