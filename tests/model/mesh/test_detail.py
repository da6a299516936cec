"""The level of detail at a size."""

from __future__ import annotations

from math import inf

from viewer.model.mesh.detail import THRESHOLDS, group_at


def test_a_smaller_model_is_drawn_coarser() -> None:
    sizes = [inf, 1.0, *reversed(THRESHOLDS), *(share * 0.99 for share in reversed(THRESHOLDS)), 0.0]
    assert [group_at(size) for size in sizes] == [0, 0, 0, 1, 2, 1, 2, 3, 3]
