"""Rows are matched by their content, so that inserted rows shift nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from viewer.model.compare.alignment import by_content, content_of_values
from viewer.model.compare.matching import Match

ROWS = st.lists(st.integers(0, 3), max_size=30)


def matched(a: Sequence[int], b: Sequence[int]) -> Match:
    return by_content(*content_of_values(a, b))


def differing(match: Match, a: Sequence[int], b: Sequence[int]) -> int:
    pairs = zip(match.a.tolist(), match.b.tolist(), strict=True)
    return sum(int(a[mine] != b[other]) for mine, other in pairs) + len(match.only_a) + len(match.only_b)


def test_an_inserted_row_shifts_nothing() -> None:
    a = [*range(1000)]
    match = matched(a, [*a[:300], -1, *a[300:]])
    assert (match.only_a.tolist(), match.only_b.tolist()) == ([], [300])
    assert match.b.tolist() == [*range(300), *range(301, 1001)]


def test_rows_inserted_at_two_places_and_one_removed_are_all_that_differs() -> None:
    a = [*range(1000)]
    b = [*a[:100], -1, -2, *a[100:500], *a[501:800], -3, *a[800:]]
    match = matched(a, b)
    assert (match.only_a.tolist(), match.only_b.tolist()) == ([500], [100, 101, 801])
    assert differing(match, a, b) == 4


def test_runs_find_their_place_among_rows_that_never_stand_alone() -> None:
    """As indices: numbers below 40, of which none occurs once."""
    a = np.random.default_rng(0).integers(0, 40, 2000).tolist()
    b = [*a[:500], 1, 2, 3, *a[500:1500], *a[1503:]]
    match = matched(a, b)
    assert differing(match, a, b) <= 8


def test_other_rows_in_place_are_changed_not_removed_and_added() -> None:
    match = matched([1, 2, 3, 4], [1, 9, 8, 4])
    assert (len(match.only_a), len(match.only_b)) == (0, 0)


@given(ROWS, ROWS)
def test_every_row_is_matched_once_in_order_and_never_worse_than_by_index(a: list[int], b: list[int]) -> None:
    match = matched(a, b)
    assert sorted([*match.a.tolist(), *match.only_a.tolist()]) == [*range(len(a))]
    assert sorted([*match.b.tolist(), *match.only_b.tolist()]) == [*range(len(b))]
    assert match.a.tolist() == sorted(match.a.tolist())
    assert match.b.tolist() == sorted(match.b.tolist())
    straight = sum(mine != other for mine, other in zip(a, b, strict=False)) + abs(len(a) - len(b))
    assert differing(match, a, b) <= straight
