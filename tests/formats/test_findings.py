"""Findings for many rows at once: the first by name, the others by number."""

from __future__ import annotations

import numpy as np
import pytest

from tests.messages import states
from viewer.diagnostics import NAMED_ROWS
from viewer.formats.findings import Rule


@pytest.mark.parametrize("rows", [[], [0], [3, 70_000, 199_999]])
def test_wrong_rows_are_named_wherever_they_are(rows: list[int]) -> None:
    is_wrong = np.zeros(200_000, np.bool_)
    is_wrong[rows] = True
    found = Rule("V11", "nodes", "slots").in_rows(is_wrong, lambda row: f"row {row}")
    assert [str(each) for each in found] == [f"nodes[{row}].slots: row {row}" for row in rows]


@pytest.mark.parametrize("step", [1, 7, 1500])
def test_more_than_can_be_named_are_counted(step: int) -> None:
    is_wrong = np.zeros(200_000, np.bool_)
    is_wrong[::step] = True
    found = Rule("V11", "nodes").in_rows(is_wrong, lambda row: f"row {row}")
    assert [each.index for each in found] == [step * number for number in range(NAMED_ROWS + 1)]
    assert states(found[-1].message, f"{is_wrong.sum() - NAMED_ROWS}")
