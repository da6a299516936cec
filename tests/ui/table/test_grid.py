"""Which rows are measured for the widths of columns."""

from __future__ import annotations

import pytest

from viewer.ui.table.grid import FIRST, SAMPLED, sample


@pytest.mark.parametrize("count", [0, 1, 5, FIRST, FIRST + 1])
def test_all_rows_of_a_short_table_are_measured(count: int) -> None:
    assert [*sample(count)] == [*range(count)]


def test_of_a_long_table_the_first_rows_and_some_in_all_of_it_are_measured() -> None:
    rows = sample(300_000)
    assert [*rows[:FIRST]] == [*range(FIRST)]
    assert rows[-1] == 299_999
    assert len(rows) <= FIRST + SAMPLED
