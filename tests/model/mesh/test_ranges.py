"""Half-open ranges, many at once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from viewer.model.mesh.ranges import expand


@given(st.lists(st.tuples(st.integers(-5, 50), st.integers(0, 9))))
def test_ranges_are_expanded_one_after_the_other(ranges: list[tuple[int, int]]) -> None:
    starts, counts = (np.array([pair[i] for pair in ranges], np.int64) for i in (0, 1))
    assert expand(starts, counts).tolist() == [start + i for start, count in ranges for i in range(count)]
