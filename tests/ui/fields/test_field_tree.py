"""Plain data as rows of names and values."""

from __future__ import annotations

from viewer.model.kinds.columns import MadeColumn
from viewer.ui.fields.field_tree import (
    MOST_ROWS,
    FieldRow,
    children_of,
    color_of,
    roots_of,
    unfolded,
    value_text,
)


def test_short_lists_of_numbers_stand_in_one_row() -> None:
    (row,) = roots_of({"format": "x", "position": [1, 2.5, 3]})
    assert row.path == ("position",)
    assert value_text(row.value) == "1, 2.5, 3"
    assert children_of(row) == []


def test_records_are_rows_below_their_list() -> None:
    (row,) = roots_of({"rows": [{"index": 0, "name": "A", "colour": [1, 2]}]})
    assert value_text(row.value) == "1 row"
    (record,) = children_of(row)
    assert record.path == ("rows", "0")
    assert value_text(record.value) == "name A"
    assert [below.path[-1] for below in children_of(record)] == ["index", "name", "colour"]


def test_long_lists_have_a_row_for_each_value() -> None:
    (row,) = roots_of({"data": list(range(100))})
    assert len(children_of(row)) == 100


def test_of_a_huge_list_no_more_is_made_than_is_listed() -> None:
    made: list[int] = []

    def make(value: int) -> int:
        made.append(value)
        return value

    values = MadeColumn(range(1_000_000), make)
    (row,) = roots_of({"data": values})
    *listed, last = children_of(row)
    assert [below.value for below in listed] == list(range(MOST_ROWS))
    assert (last.path, last.value) == (("data", "..."), "998 000 more rows (use `mshview inspect`)")
    assert len(made) == MOST_ROWS


def test_what_is_absent_is_called_so() -> None:
    assert value_text(None) == "none"
    assert value_text(value=True) == "yes"


def test_the_colors_of_a_material_are_shown() -> None:
    assert color_of(FieldRow(("phases", "0", "diffuse"), [255, 0, 51])) == (1.0, 0.0, 0.2, 1.0)
    assert color_of(FieldRow(("position",), [255, 0, 51])) is None


def test_what_is_short_is_open_and_the_only_row_of_a_list_too() -> None:
    fields = {"phases": [{"power": 1}], "keys": [{"time": 1}, {"time": 2}], "long": list(range(99))}
    assert list(unfolded(fields)) == [("phases",), ("phases", "0"), ("keys",)]
