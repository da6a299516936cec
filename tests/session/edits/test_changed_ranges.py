"""Ranges of bytes looked up by rows and fields."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from viewer.session.edits.changed_ranges import NO_RANGES, ChangedRanges

SPANS = st.lists(st.integers(0, 60), max_size=8, unique=True).map(sorted)


@given(SPANS, st.integers(0, 60), st.integers(0, 12))
def test_a_row_touches_a_range_if_they_share_a_byte(edges: list[int], start: int, size: int) -> None:
    ranges = [*zip(edges[::2], edges[1::2], strict=False)]
    changed = {offset for first, last in ranges for offset in range(first, last)}
    is_touched = bool(changed & {*range(start, start + size)})
    assert ChangedRanges(reversed(ranges)).touches(start, size) == is_touched


def test_empty_ranges_count_for_nothing() -> None:
    assert not NO_RANGES
    assert not ChangedRanges([(5, 5), (7, 3)])
