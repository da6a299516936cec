"""Half-open ranges, many at once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from viewer.model.mesh.ranges import chunks, expand


@given(st.lists(st.tuples(st.integers(-5, 50), st.integers(0, 9))))
def test_ranges_are_expanded_one_after_the_other(ranges: list[tuple[int, int]]) -> None:
    starts, counts = (np.array([pair[i] for pair in ranges], np.int64) for i in (0, 1))
    assert expand(starts, counts).tolist() == [start + i for start, count in ranges for i in range(count)]


@given(st.lists(st.integers(0, 9)), st.integers(1, 20))
def test_chunks_cover_all_ranges_and_hold_no_more_than_allowed(counts: list[int], most: int) -> None:
    array = np.array(counts, np.int64)
    found = list(chunks(array, most))
    assert [i for some in found for i in range(some.start, some.stop)] == list(range(len(counts)))
    assert all(some.stop - some.start == 1 or array[some].sum() <= most for some in found)
