"""Conditions on lists whose rows differ: lines, blocks, commands."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats import fxid, mat0, wear
from viewer.formats.fxid import COMMAND_KINDS
from viewer.formats.part import Part, find
from viewer.model.query.condition import Condition
from viewer.model.query.table import Column, ColumnTexts, of_list, ordered


def chosen(root: Part, path: str, condition: str) -> list[int]:
    """The rows of a list for which a condition holds."""
    part = find(root, path)
    assert part is not None
    return np.flatnonzero(Condition.parse(condition).rows(of_list(part))).tolist()


@pytest.mark.parametrize(
    ("condition", "rows"),
    [("name = STEEL", [0, 2]), ("name = s*", [0, 2]), ("number > 0", [1, 2]), ("row = 1", [1])],
)
def test_lines_of_a_wear_table(condition: str, rows: list[int]) -> None:
    root = wear.parts(wear.decode(wear.build([b"STEEL", b"GLASS", b"steel"])))
    assert chosen(root, "materials", condition) == rows


@pytest.mark.parametrize(
    ("condition", "rows"), [("mode = once", [1]), ("key_count >= 2", [0]), ("mask & 1", [1])]
)
def test_blocks_of_a_material(condition: str, rows: list[int]) -> None:
    blocks = [mat0.block(0, 2, [(0, 1), (0, 2)]), mat0.block(2, 1, [(0, 1)])]
    root = mat0.parts(mat0.decode(mat0.build([mat0.PhaseRecord()], blocks)))
    assert chosen(root, "blocks", condition) == rows


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("kind = light", [0]),
        ("opcode = 2", [1]),
        ("enabled = yes", [0, 1, 2]),
        ("archive = a.rlb", [1]),
        ("start > 1", [1]),
    ],
)
def test_commands_of_an_effect(condition: str, rows: list[int]) -> None:
    commands = [COMMAND_KINDS[opcode].record.new() for opcode in (1, 2, 6)]
    for opcode, command in zip((1, 2, 6), commands, strict=True):
        command["word"] = opcode | fxid.ENABLED
    commands[1]["archive"], commands[1]["start"] = np.void(b"a.rlb".ljust(32, b"\0")), 2
    header = fxid.HEADER.new()
    header["command_count"] = 3
    data = header.tobytes() + b"".join(command.tobytes() for command in commands)
    assert chosen(fxid.parts(fxid.decode(data)), "commands", condition) == rows


def order(
    values: npt.NDArray[np.generic] | ColumnTexts, *, none: int | None = None, is_descending: bool = False
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
    assert order(ColumnTexts.of(["b", "", "a"])) == [2, 0, 1]


def test_texts_are_sorted_without_case() -> None:
    assert order(ColumnTexts.of(["b", "C", "A", "B", "a"])) == [2, 4, 0, 3, 1]
    assert order(ColumnTexts.of(["b", "C", "A", "B", "a"]), is_descending=True) == [1, 0, 3, 2, 4]


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
