"""Where the cells of a grid of pictures are."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.ui.games.cell_layout import HEADING, CellLayout


def test_cells_fill_the_width() -> None:
    layout = CellLayout.of(np.arange(10), 410.0, 80.0, 10.0)
    assert (layout.columns, layout.width, layout.height) == (4, 102.5, 99.0)
    assert layout.line_count == 3
    assert [*layout.places_in(range(1, 3))] == [4, 5, 6, 7, 8, 9]


def test_a_small_picture_has_room_for_its_name() -> None:
    assert CellLayout.of(np.arange(1), 1000.0, 44.0, 16.0).columns == 1000 // (4.5 * 16 + 16)


def test_a_narrow_room_has_one_column() -> None:
    assert CellLayout.of(np.arange(3), 50.0, 256.0, 16.0).columns == 1
    assert CellLayout.of(np.arange(0), 50.0, 256.0, 16.0).line_count == 0


@pytest.mark.parametrize(
    ("top", "bottom", "lines"), [(0, 50, [0]), (98, 99, [0, 1]), (150, 5000, [1, 2]), (5000, 6000, [])]
)
def test_only_lines_on_screen_are_drawn(top: float, bottom: float, lines: list[int]) -> None:
    assert [*CellLayout.of(np.arange(10), 410.0, 80.0, 10.0).lines_in(top, bottom)] == lines


GROUPED = np.array([-1, 7, 8, 9, 2, 3, -2, -3, 4])
"""Five rows in a group, a folded group, and one with a row."""


def test_groups_begin_with_a_heading_and_a_line_of_their_own() -> None:
    layout = CellLayout.of(GROUPED, 410.0, 80.0, 10.0)
    assert layout.bounds.tolist() == [0, 1, 5, 6, 7, 8, 9]
    head = HEADING * 10.0
    assert np.diff(layout.tops).tolist() == pytest.approx([head, 99.0, 99.0, head, head, 99.0])
    assert layout.corner_of(5) == (0.0, head + 99.0)
    assert layout.corner_of(3) == (2 * 102.5, head)
    assert [*layout.lines_in(head + 150, head + 210)] == [2, 3]


@pytest.mark.parametrize(
    ("place", "across", "down", "to"),
    [
        (5, 1, 0, 8),
        (8, -1, 0, 5),
        (1, -1, 0, 1),
        (3, 0, 1, 5),
        (5, 0, 1, 8),
        (8, 0, -2, 1),
        (4, 0, 9, 8),
        (1, 99, 0, 8),
    ],
)
def test_keys_pass_headings(place: int, across: int, down: int, to: int) -> None:
    assert CellLayout.of(GROUPED, 410.0, 80.0, 10.0).moved(place, across, down) == to
