"""How stored values read on screen.

Icons by kind.

The time axis of the timeline.

Which rows can be seen, and where to scroll for one.

Which rows are measured for the widths of columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from imgui_bundle import ImVec2, imgui

from tests.ui.scenes import TURRET, tank_document
from viewer.formats.record import Field, Status
from viewer.model.kinds.registry import KINDS, tables
from viewer.session.field_text import (
    cell_text,
    counted,
    float_text,
    raw_text,
    short_count,
    size_text,
    tooltip_lines,
)
from viewer.ui.table.column_widths import FIRST, SAMPLED, sample
from viewer.ui.widgets import theme
from viewer.ui.widgets.icons import icon_of
from viewer.ui.widgets.ruler import Ruler, key_at, next_time
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


def field(name: str = "count", dtype: str = "<u2", **rest: object) -> Field:
    return Field(name, dtype, "doc", **rest)  # type: ignore[arg-type]


def test_sentinel_names_itself_and_its_value() -> None:
    assert raw_text(field("parent", none=0xFFFF), np.uint16(0xFFFF)) == "none (0xFFFF)"
    assert raw_text(field("parent", none=0xFFFF), np.uint16(7)) == "7"


def test_sentinel_of_another_field_is_a_number() -> None:
    assert raw_text(field("count"), np.uint16(0xFFFF)) == "65535"


def test_flags_and_open_fields_are_bits() -> None:
    assert raw_text(field("mask", flags={1: "one"}), np.uint16(0x20)) == "0x0020"
    assert raw_text(field("mystery", "<u4", status=Status.OPEN), np.uint32(9)) == "0x00000009"
    assert raw_text(field("mystery", "<i2", status=Status.OPEN), np.int16(-1)) == "0xFFFF"
    assert raw_text(field("mystery", "<f4", status=Status.OPEN), np.float32(1.0)) == "0x3F800000"


def test_links_show_each_item() -> None:
    links = np.array([3, 0xFFFF, 0], "<u2")
    assert raw_text(field("links", shape=(3,), none=0xFFFF), links) == "3, none (0xFFFF), 0"


def test_matrix_takes_a_line_per_row() -> None:
    assert raw_text(field("hull", "<f4", shape=(2, 2)), np.eye(2, dtype="<f4")) == "1, 0\n0, 1"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.1"),
        (-0.0, "-0"),
        (70.0, "70"),
        (1e-7, "1e-07"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
    ],
)
def test_float_text(value: float, text: str) -> None:
    assert float_text(value) == text


def test_float_text_reads_back_the_same() -> None:
    for value in np.random.default_rng(1).normal(size=200).astype("<f4") * 10.0 ** np.arange(-20, 20).repeat(
        5
    ):
        assert np.float32(float_text(value)) == np.float32(value)


def test_bytes_show_text_and_bits() -> None:
    assert raw_text(field("name", "V4", encoding="cp1251"), b"ab\0\0") == "'ab'"
    assert raw_text(field("name", "V4", encoding="cp1251"), b"ab\0c") == "'ab'  61620063"
    assert raw_text(field("raw", "V4"), b"\1\2\0\0") == "01020000"


def test_tooltip_says_place_type_and_meaning() -> None:
    text = "\n".join(tooltip_lines(field("mass", "<f4", unit="kg", offset=0x30)))
    assert "0x30" in text
    assert "f32" in text
    assert "kg" in text
    assert "doc" in text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1.0k"),
        (1234, "1.2k"),
        (9960, "10k"),
        (300_000, "300k"),
        (999_900, "1.0M"),
    ],
)
def test_short_count(count: int, text: str) -> None:
    assert short_count(count) == text


def test_size_text() -> None:
    assert [size_text(n) for n in (0, 1023, 14_541, 3_250_586)] == ["0 B", "1023 B", "14.2 KB", "3.1 MB"]


def test_cell_is_one_line_with_short_sentinel() -> None:
    matrix = np.array([[1, 0xFFFF], [2, 3]], "<u2")
    assert cell_text(field("slots", shape=(2, 2), none=0xFFFF), matrix) == "1, none | 2, 3"


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 vertices"), (1, "1 vertex"), (2, "2 vertices"), (12_345, "12 345 vertices")]
)
def test_what_is_counted_is_one_or_several(count: int, text: str) -> None:
    assert counted(count, "{count} vertex", "{count} vertices") == text


def test_kinds_look_different_and_unknown_ones_look_like_files() -> None:
    known = [icon_of(kind) for kind in ("folder", "nres", "msh", "wear", "mat0", "texm", "fxid", "nodes")]
    assert len(set(known)) == len(known)
    assert icon_of("no such kind") == icon_of("?")
    assert icon_of("?") not in known


def test_every_kind_has_its_icon() -> None:
    files = icon_of("no such kind")
    assert [kind.id for kind in (*KINDS, *tables().values()) if icon_of(kind.id) == files] == []


def test_places_and_times_agree() -> None:
    ruler = Ruler(left=10, width=200, last=50)
    assert ruler.x_of(0) == 10
    assert ruler.x_of(25) == 110
    assert ruler.time_of(110) == 25
    assert ruler.time_of(-5) == 0
    assert ruler.time_of(1000) == 50


def test_single_frame_has_no_length() -> None:
    ruler = Ruler(left=10, width=200, last=0)
    assert ruler.x_of(0) == 10
    assert ruler.time_of(100) == 0
    assert list(ruler.marks(40)) == [0]


@pytest.mark.parametrize(("last", "step"), [(10, 1), (50, 5), (90, 10), (1000, 100), (1001, 200)])
def test_marks_keep_their_distance(last: int, step: int) -> None:
    assert Ruler(left=0, width=500, last=last).step(50) == step


def test_next_time_goes_to_the_neighbour_and_stays_at_the_ends() -> None:
    times = np.array([0, 4, 9], "f4")
    assert next_time(times, 0, 1) == 4
    assert next_time(times, 5, 1) == 9
    assert next_time(times, 9, 1) == 9
    assert next_time(times, 5, -1) == 4
    assert next_time(times, 0, -1) == 0
    assert next_time(np.empty(0, "f4"), 3, 1) == 3


def test_places_are_pixels_each_once() -> None:
    ruler = Ruler(left=10, width=100, last=50)
    assert ruler.places_of(np.array([0, 0.1, 25, 60], "f4")).tolist() == [10, 60, 110]
    assert Ruler(left=10, width=100, last=0).places_of(np.array([0], "f4")).tolist() == [10]


def test_a_click_near_a_key_hits_it_and_the_nearest_of_several() -> None:
    document = tank_document()
    first, second, third = document.animation.track(TURRET)
    ruler = Ruler(0, 100, 10)
    assert key_at(document.animation, TURRET, ruler, 42, 5) == second
    assert key_at(document.animation, TURRET, ruler, 98, 5) == third
    assert key_at(document.animation, TURRET, ruler, 1, 5) == first
    assert key_at(document.animation, TURRET, ruler, 70, 5) is None


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
def _frame(imgui_frame: None) -> Iterator[None]:
    """A frame of ImGui with a window that leaves `ROOM` for a table."""
    imgui.set_next_window_size(ImVec2(ROOM + 2 * imgui.get_style().window_padding.x, 400))
    imgui.begin("panel")
    yield
    imgui.end()


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
    table.widen(table.width(0, "short", 5.0))
    assert begin(rows) == (False, 0.0)
    words = "long " * 40
    table.widen(table.width(2, words, 5.0))
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


@pytest.mark.parametrize("count", [0, 1, 5, FIRST, FIRST + 1])
def test_all_rows_of_a_short_table_are_measured(count: int) -> None:
    assert [*sample(count)] == [*range(count)]


def test_of_a_long_table_the_first_rows_and_some_in_all_of_it_are_measured() -> None:
    rows = sample(300_000)
    assert [*rows[:FIRST]] == [*range(FIRST)]
    assert rows[-1] == 299_999
    assert len(rows) <= FIRST + SAMPLED
