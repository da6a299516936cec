"""Which rows belong together."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from viewer.model.compare.matching import Match, by_index, by_name

NAMES = st.lists(st.sampled_from(["", "a", "b", "c", "d"]), max_size=8)


def pairs(match: Match) -> list[tuple[int, int]]:
    return list(zip(match.a.tolist(), match.b.tolist(), strict=True))


def test_by_index() -> None:
    match = by_index(3, 5)
    assert pairs(match) == [(0, 0), (1, 1), (2, 2)]
    assert (match.only_a.tolist(), match.only_b.tolist()) == ([], [3, 4])


def test_names_go_before_places() -> None:
    match = by_name(["hull", "gun", "door"], ["gun", "hull", "lamp", "door"])
    assert pairs(match) == [(0, 1), (1, 0), (2, 3)]
    assert match.only_b.tolist() == [2]
    assert match.moved.tolist() == [True, True, False]


def test_repeated_names_go_in_their_order() -> None:
    assert pairs(by_name(["x", "y", "x"], ["x", "x"])) == [(0, 0), (2, 1)]


def test_what_is_left_over_goes_by_its_place() -> None:
    match = by_name(["", "old name", "gun", ""], ["", "new name", "gun"])
    assert pairs(match) == [(0, 0), (1, 1), (2, 2)]
    assert match.only_a.tolist() == [3]


def test_an_added_row_moves_nothing() -> None:
    match = by_name(["a", "b", "c"], ["new", "a", "b", "c"])
    assert pairs(match) == [(0, 1), (1, 2), (2, 3)]
    assert not match.moved.any()


def test_partners() -> None:
    match = by_name(["a", "b", "c"], ["c", "a"])
    assert match.b_of(np.array([0, 1, 2, 3, 0xFFFF]), -1).tolist() == [1, -1, 0, -1, -1]


@given(NAMES, NAMES)
def test_every_row_is_matched_once_or_left_over(a: list[str], b: list[str]) -> None:
    match = by_name(a, b)
    assert match.fits(len(a), len(b))
    assert sorted([*match.a.tolist(), *match.only_a.tolist()]) == list(range(len(a)))
    assert sorted([*match.b.tolist(), *match.only_b.tolist()]) == list(range(len(b)))
    assert match.a.tolist() == sorted(match.a.tolist())
    assert not {a[row] for row in match.only_a} & {b[row] for row in match.only_b} - {""}


@given(NAMES)
def test_a_table_matches_itself(names: list[str]) -> None:
    match = by_name(names, names)
    assert pairs(match) == [(row, row) for row in range(len(names))]
