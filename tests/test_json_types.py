"""Answers are classes: their members are those of JSON, and of a row as text the headings."""

from __future__ import annotations

import json

import numpy as np
import pytest
from msgspec import UNSET, Struct, UnsetType, field

from viewer.cli.text_table import cell
from viewer.json_types import JsonObject, Natural, Rows, TableRow, Vector, members, names_of
from viewer.model.kinds.columns import Columns
from viewer.model.kinds.json_text import encode, flat_columns


class Cell(TableRow, frozen=True):
    """A row."""

    node: Natural
    shown: str | None = field(name="shown as")


class Answer(Struct, frozen=True):
    """An answer."""

    start: int = field(name="from")
    at: Vector
    rows: Rows[Cell]
    more: int | UnsetType = UNSET


def test_the_text_of_an_answer_has_its_members_in_their_order() -> None:
    rows = Columns.of(Cell, 2, node=np.array([3, 4]), shown=["a", None])
    text = encode(Answer(1, np.array([0.1, 2, np.nan], np.float32), rows))
    assert text == (
        '{"from": 1, "at": [0.1, 2.0, "nan"], '
        '"rows": [{"node": 3, "shown as": "a"}, {"node": 4, "shown as": null}]}'
    )
    assert json.loads(encode(Answer(1, (), (), 5)))["more"] == 5


def test_rows_of_a_class_and_of_columns_are_one_table() -> None:
    expected = [("node", ["3"]), ("shown as", ["x"])]
    assert (
        flat_columns([Cell(3, "x")]) == flat_columns(Columns.of(Cell, 1, node=[3], shown=["x"])) == expected
    )
    assert names_of(Cell) == ("node", "shown as")
    assert members(Cell(3, None)) == {"node": 3, "shown as": None}


def test_objects_in_a_list_are_divided_as_text() -> None:
    assert cell((Cell(3, "a"), Cell(4, None))) == "node 3, shown as a | node 4, shown as -"


def test_a_column_without_a_value_is_refused() -> None:
    with pytest.raises(KeyError, match="shown"):
        Columns.of(Cell, 1, node=[3])


def test_an_object_takes_attributes_of_the_same_name() -> None:
    class Found(JsonObject, frozen=True):
        """A part of a complex number."""

        real: float
        sign: str

    assert Found.of(2.5, sign="+") == Found(2.5, "+")
