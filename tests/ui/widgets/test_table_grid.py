"""Which rows can be seen, and where to scroll for one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from imgui_bundle import ImVec2, imgui

from viewer.ui.widgets import theme
from viewer.ui.widgets.table_grid import (
    DEEPEST_INDENT,
    TallRows,
    TreeRow,
    TreeTable,
    flatten,
    indent,
    level_mark,
    with_ancestors,
)

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


ROOM = 300.0


@pytest.fixture
def _frame() -> Iterator[None]:
    """A frame of ImGui with a window that leaves `ROOM` for a table."""
    context = imgui.create_context()
    io = imgui.get_io()
    io.backend_flags |= imgui.BackendFlags_.renderer_has_textures
    io.display_size = ImVec2(800, 600)
    io.set_ini_filename("")
    imgui.new_frame()
    imgui.set_next_window_size(ImVec2(ROOM + 2 * imgui.get_style().window_padding.x, 400))
    imgui.begin("panel")
    yield
    imgui.end()
    imgui.end_frame()
    imgui.destroy_context(context)


@pytest.mark.usefixtures("_frame")
def test_indents_grow_to_the_deepest() -> None:
    steps = [indent(depth) for depth in range(DEEPEST_INDENT + 5)]
    assert steps[1] == pytest.approx(theme.em(0.8))
    assert sorted(set(steps)) == steps[: DEEPEST_INDENT + 1]
    assert steps[-1] == steps[DEEPEST_INDENT]


def test_deeper_rows_begin_with_their_level() -> None:
    assert level_mark(DEEPEST_INDENT) == ""
    assert level_mark(DEEPEST_INDENT + 1).strip() == str(DEEPEST_INDENT + 1)


@pytest.mark.usefixtures("_frame")
def test_only_rows_wider_than_the_panel_scroll(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[tuple[Any, ...]] = []
    monkeypatch.setattr(imgui, "begin_table", lambda *arguments: begun.append(arguments))
    table, rows, others = TreeTable(), object(), 10.0

    def begin(rows: object) -> tuple[bool, float]:
        """Whether it scrolls sideways, and how wide it is inside."""
        table.begin("tree", 1, imgui.TableFlags_.scroll_y, rows, others)
        _name, _columns, flags, _room, *inside = begun[-1]
        return bool(flags & imgui.TableFlags_.scroll_x), inside[0] if inside else 0.0

    assert begin(rows) == (False, 0.0)
    table.measure(0, "short", 5.0)
    assert begin(rows) == (False, 0.0)
    words = "long " * 40
    table.measure(2, words, 5.0)
    width = indent(2) + imgui.calc_text_size(words).x + 5.0 + others
    scrolls, inside = begin(rows)
    assert scrolls
    assert inside == pytest.approx(width)
    assert begin(object()) == (False, 0.0)


TREE = {"body": ["arm", "leg"], "arm": ["hand"], "leg": [], "hand": [], "other": []}
PARENT = {"arm": "body", "leg": "body", "hand": "arm"}


def test_flatten_goes_depth_first() -> None:
    rows = flatten(["body", "other"], TREE.__getitem__, lambda _: True)
    assert [(row.key, row.depth) for row in rows] == [
        ("body", 0),
        ("arm", 1),
        ("hand", 2),
        ("leg", 1),
        ("other", 0),
    ]


def test_closed_row_hides_what_is_below() -> None:
    rows = flatten(["body"], TREE.__getitem__, lambda key: key == "body")
    assert rows == [
        TreeRow("body", 0, has_children=True, is_open=True),
        TreeRow("arm", 1, has_children=True, is_open=False),
        TreeRow("leg", 1, has_children=False, is_open=False),
    ]


def test_deep_chain_needs_no_recursion() -> None:
    rows = flatten([0], lambda key: [key + 1] if key < 5000 else [], lambda _: True)
    assert rows[-1] == TreeRow(5000, 5000, has_children=False, is_open=False)


def test_ancestors_are_kept_once() -> None:
    assert with_ancestors(["hand", "leg"], PARENT.get) == {"hand", "arm", "leg", "body"}


def test_cyclic_parents_end() -> None:
    assert with_ancestors([1], {1: 2, 2: 1}.get) == {1, 2}
