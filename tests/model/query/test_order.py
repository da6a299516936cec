"""The order of rows by a column."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.model.query.order import ordered
from viewer.model.query.table import Column, Texts


def order(
    values: npt.NDArray[np.generic] | Texts, *, none: int | None = None, is_descending: bool = False
) -> list[int]:
    """The rows 0, 1, ... in the order of their values."""
    column = Column("x", lambda: values, none=none)
    found: list[int] = ordered(column, np.arange(len(values)), is_descending=is_descending).tolist()
    return found


def test_numbers_ascend_or_descend_and_equal_ones_keep_their_order() -> None:
    values = np.array([3, 1, 3, 2, 1], "<u2")
    assert order(values) == [1, 4, 3, 0, 2]
    assert order(values, is_descending=True) == [0, 2, 3, 1, 4]


def test_what_has_no_value_is_last_both_ways() -> None:
    values = np.array([0xFFFF, 5, 0xFFFF, 1], "<u2")
    assert order(values, none=0xFFFF) == [3, 1, 0, 2]
    assert order(values, none=0xFFFF, is_descending=True) == [1, 3, 0, 2]
    assert order(np.array([np.nan, 2, 1], "<f4")) == [2, 1, 0]
    assert order(Texts.of(["b", "", "a"])) == [2, 0, 1]


def test_texts_are_sorted_without_case() -> None:
    assert order(Texts.of(["b", "C", "A", "B", "a"])) == [2, 4, 0, 3, 1]
    assert order(Texts.of(["b", "C", "A", "B", "a"]), is_descending=True) == [1, 0, 3, 2, 4]


def test_arrays_are_compared_element_by_element() -> None:
    assert order(np.array([(1, 5), (0, 9), (1, 2)], "<f4")) == [1, 2, 0]


def test_only_the_rows_given_are_sorted() -> None:
    column = Column("x", lambda: np.array([9, 1, 5, 3]))
    assert ordered(column, np.array([3, 0, 2])).tolist() == [3, 2, 0]


@pytest.mark.parametrize("is_descending", [False, True])
@given(values=st.lists(st.integers(0, 5), max_size=40))
def test_the_order_is_that_of_a_stable_sort(values: list[int], *, is_descending: bool) -> None:
    expected = sorted(range(len(values)), key=lambda row: -values[row] if is_descending else values[row])
    assert order(np.array(values, "<u2"), is_descending=is_descending) == expected
