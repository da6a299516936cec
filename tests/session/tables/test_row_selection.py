"""Selecting rows with clicks, Ctrl and Shift."""

from __future__ import annotations

import numpy as np

from viewer.session.tables.row_selection import RowSelection

ORDER = np.array([4, 2, 0, 3, 1])


def clicked(*clicks: tuple[int, str]) -> RowSelection:
    """The selection after clicks on rows, each with the keys held: c for Ctrl, s for Shift."""
    selection = RowSelection()
    for row, keys in clicks:
        selection = selection.clicked(row, ORDER, is_added="c" in keys, is_range="s" in keys)
    return selection


def test_a_click_selects_one_row() -> None:
    assert clicked((2, ""), (3, "")) == RowSelection.of(3)


def test_control_adds_and_removes() -> None:
    assert clicked((2, ""), (3, "c")).rows == {2, 3}
    assert clicked((2, ""), (3, "c"), (2, "c")).rows == {3}
    assert clicked((2, ""), (2, "c")).active is None


def test_shift_selects_a_range_in_the_order_shown_from_where_it_began() -> None:
    assert clicked((2, ""), (3, "s")).rows == {2, 0, 3}
    assert clicked((3, ""), (2, "s")).rows == {2, 0, 3}
    assert clicked((0, ""), (1, "s"), (2, "s")).rows == {2, 0}
    assert clicked((0, ""), (1, "s")).active == 1


def test_control_and_shift_add_a_range() -> None:
    assert clicked((4, ""), (0, "c"), (1, "cs")).rows == {4, 0, 3, 1}


def test_a_range_from_a_row_that_is_filtered_out_is_the_row_alone() -> None:
    assert clicked((9, ""), (3, "s")).rows == {3}


def test_all_rows_that_are_shown_are_selected() -> None:
    assert RowSelection.of(2).all_of(ORDER[:3]).rows == {4, 2, 0}


def test_selected_rows_come_in_the_order_shown() -> None:
    assert clicked((3, ""), (4, "c"), (0, "c")).shown(ORDER).tolist() == [4, 0, 3]
    assert RowSelection().all_of(ORDER).shown(ORDER).tolist() == ORDER.tolist()
    assert RowSelection.of(7).shown(ORDER).tolist() == []


def test_arrows_step_through_the_order_shown() -> None:
    assert RowSelection.of(2).stepped(1, ORDER) == RowSelection.of(0)
    assert RowSelection.of(4).stepped(-1, ORDER) == RowSelection.of(4)
    assert RowSelection.of(1).stepped(1, ORDER) == RowSelection.of(1)
    assert RowSelection().stepped(1, ORDER) == RowSelection.of(4)
    assert RowSelection().stepped(1, ORDER[:0]) == RowSelection()
