"""Dividing a data area among payloads, against a byte by byte account."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.archive.stretches import StretchParts, divide
from viewer.formats.part import listing

AREA = (16, 80)
payloads = st.lists(st.tuples(st.integers(*AREA), st.integers(0, 30)), max_size=8)


def owners(spans: list[tuple[int, int]]) -> list[int | None]:
    """The owner of every byte: the payload that starts first, the shorter one before the longer."""
    order = sorted(range(len(spans)), key=lambda entry: (*spans[entry], entry))
    return [
        next((entry for entry in order if spans[entry][0] <= place < spans[entry][1]), None)
        for place in range(*AREA)
    ]


@given(payloads, st.sampled_from((1, 8)))
def test_every_byte_goes_to_the_payload_that_starts_first(
    sizes: list[tuple[int, int]], alignment: int
) -> None:
    spans = [(start, min(start + size, AREA[1])) for start, size in sizes]
    offsets, ends = np.array(spans, np.int64).reshape(-1, 2).T
    found = divide(offsets, ends, np.arange(len(spans)), AREA, alignment)
    given_to = [found.owner(place) for place in range(len(found)) for _ in range(*found.span(place))]
    assert given_to == owners(spans)
    assert {found.owner(place) for place in range(len(found))} - {None} == set(range(len(spans)))
    data = bytes(range(100))
    parts = StretchParts(memoryview(data), found)
    tree = listing("data", parts, AREA[0])
    assert b"".join(bytes(part.data) for part in parts) == data[slice(*AREA)]
    assert (tree.start, tree.end) == AREA
    assert list(parts[1:3]) == [] or parts[1:3][0].start == parts[1].start


def test_a_gap_up_to_an_aligned_offset_is_padding() -> None:
    offsets, ends = np.array([16, 32]), np.array([21, 40])
    found = divide(offsets, ends, np.arange(2), (16, 56), 8)
    parts = StretchParts(memoryview(bytes(56)), found)
    assert [(part.name, part.start, part.end) for part in parts] == [
        ("resource_0", 16, 21),
        ("unindexed", 21, 32),
        ("resource_1", 32, 40),
        ("unindexed", 40, 56),
    ]
    found = divide(offsets - [0, 8], ends - [0, 8], np.arange(2), (16, 32), 8)
    assert [found.part(memoryview(bytes(56)), place).name for place in range(len(found))] == [
        "resource_0",
        "padding",
        "resource_1",
    ]
