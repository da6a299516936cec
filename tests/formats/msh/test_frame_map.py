"""Res19: canonical blocks."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.msh.keys import WORD, encode_block


def test_the_golden_map() -> None:
    words = encode_block(np.array([0, 4, 8]), 0, 9)
    assert words.tobytes() == bytes.fromhex("0000 0000 0000 0000 0100 0100 0100 0100 0200")
    assert WORD.view(words.tobytes())["key"].tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 2]


@given(
    st.sets(st.integers(0, 30), min_size=1).map(sorted),
    st.integers(0, 100),
    st.integers(1, 40),
)
def test_a_block_is_what_the_spec_says(times: list[int], first: int, frame_count: int) -> None:
    words = encode_block(np.array(times, np.float32), first, frame_count).tolist()
    last = len(times) - 1
    for frame, word in enumerate(words):
        if frame < times[0] or frame >= times[last]:
            assert word == first + last
        else:
            assert word == first + max(k for k in range(last) if times[k] <= frame)
    assert len(words) == frame_count
