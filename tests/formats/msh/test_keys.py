"""Res8: the golden key bytes and both orders of the components."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.msh.keys import (
    KEY,
    WORD,
    QuaternionOrder,
    decode_quaternion,
    encode_block,
    encode_quaternion,
)

GOLDEN = bytes.fromhex("00000040 00008040 0000C0C0 00008040 0000 0000 825A 825A")
orders = pytest.mark.parametrize("order", QuaternionOrder)


def test_the_golden_key() -> None:
    key = KEY.view(GOLDEN)
    assert key["position"].tolist() == [[2.0, 4.0, -6.0]]
    assert key["time"].tolist() == [4.0]
    assert key["quaternion"].tolist() == [[0, 0, 23170, 23170]]
    assert decode_quaternion(key["quaternion"], QuaternionOrder.XYZW)[0] == pytest.approx(
        (0.7071139, 0, 0, 0.7071139), abs=1e-6
    )


@pytest.mark.parametrize(
    ("order", "expected"), [(QuaternionOrder.XYZW, [4, 1, 2, 3]), (QuaternionOrder.WXYZ, [1, 2, 3, 4])]
)
def test_the_order_says_where_w_lies(order: QuaternionOrder, expected: list[int]) -> None:
    raw = np.array([[1, 2, 3, 4]], "<i2")
    assert np.rint(decode_quaternion(raw, order) * 32767).tolist() == [expected]


@orders
@given(raw=st.lists(st.tuples(*[st.integers(-32767, 32767)] * 4), min_size=1))
def test_every_value_but_minus_32768_survives(order: QuaternionOrder, raw: list[tuple[int, ...]]) -> None:
    stored = np.array(raw, "<i2")
    assert np.array_equal(encode_quaternion(decode_quaternion(stored, order), order), stored)


@orders
def test_encoding_is_clamped_and_nothing_is_normalised(order: QuaternionOrder) -> None:
    assert decode_quaternion(encode_quaternion([[2, 0, 0, -2]], order), order).tolist() == [[1, 0, 0, -1]]
    assert decode_quaternion(np.full((1, 4), -32768, "<i2"), order).min() < -1


@orders
def test_no_keys_are_no_quaternions(order: QuaternionOrder) -> None:
    assert decode_quaternion(encode_quaternion(np.empty((0, 4)), order), order).shape == (0, 4)


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
