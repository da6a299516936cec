"""Where the cells of a grid of pictures are."""

from __future__ import annotations

import pytest

from viewer.ui.games.overview_grid import CellLayout


def test_cells_fill_the_width() -> None:
    layout = CellLayout.of(10, 410.0, 80.0, 10.0)
    assert (layout.columns, layout.width, layout.height) == (4, 102.5, 99.0)
    assert layout.line_count == 3
    assert [*layout.cells_of(range(1, 3))] == [4, 5, 6, 7, 8, 9]


def test_a_small_picture_has_room_for_its_name() -> None:
    assert CellLayout.of(1, 1000.0, 44.0, 16.0).columns == 1000 // (4.5 * 16 + 16)


def test_a_narrow_room_has_one_column() -> None:
    assert CellLayout.of(3, 50.0, 256.0, 16.0).columns == 1
    assert CellLayout.of(0, 50.0, 256.0, 16.0).line_count == 0


@pytest.mark.parametrize(
    ("top", "bottom", "lines"), [(0, 50, [0]), (98, 99, [0, 1]), (150, 5000, [1, 2]), (5000, 6000, [])]
)
def test_only_lines_on_screen_are_drawn(top: float, bottom: float, lines: list[int]) -> None:
    assert [*CellLayout.of(10, 410.0, 80.0, 10.0).lines_in(top, bottom)] == lines
