"""Splices of any two byte strings are exact, and small where little has changed."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats import splice
from viewer.model.patch.making import BLOCK, aligned

RANDOM = random.Random(7)
LONG = RANDOM.randbytes(20_000)


def checked(before: bytes, after: bytes) -> splice.Splices:
    splices = aligned(before, after)
    assert splice.applied(before, splices) == after
    assert splice.applied(after, splice.reverse(splices)) == before
    return splices


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_any_bytes(before: bytes, after: bytes) -> None:
    checked(before, after)


@given(
    st.lists(st.sampled_from([LONG[:40], LONG[40:90], LONG[90:200], b"\0" * 50, b"ab"]), max_size=9),
    st.data(),
)
def test_pieces_in_any_order(pieces: list[bytes], data: st.DataObject) -> None:
    others = data.draw(st.permutations(pieces))
    checked(b"".join(pieces), b"".join(others[: data.draw(st.integers(0, len(others)))]))


@pytest.mark.parametrize("size", [1, 7, BLOCK, 500])
def test_inserted_bytes_are_all_that_is_replaced(size: int) -> None:
    inserted = RANDOM.randbytes(size)
    two = LONG[:5000] + inserted + LONG[5000:12_345] + inserted + LONG[12_345:]
    splices = checked(LONG, two)
    assert splice.total(splices) <= 2 * size + 4
    assert len(splices) == 2


def test_a_moved_stretch_is_replaced_once() -> None:
    other = LONG[:1000] + LONG[3000:] + LONG[1000:3000]
    assert splice.total(checked(LONG, other)) == 4000


def test_what_was_repeated_before_a_stretch_is_not_taken_twice() -> None:
    """The end of the first stretch comes again before the second one in one of the files only."""
    one, two, between, other = LONG[:4000], LONG[4000:8000], LONG[8000:8100], LONG[9000:15_000]
    checked(b"s" + one + between + one[-20:] + two + b"e", other + one + two + b"f")
    checked(other + one + two + b"f", b"s" + one + between + one[-20:] + two + b"e")


def test_one_block_is_enough_to_stay() -> None:
    block = LONG[:BLOCK]
    splices = checked(b"s" * BLOCK + block + b"e" * BLOCK, b"t" * 17 + block + b"f" * 50)
    assert not any(block in it.before or block in it.after for it in splices)


def test_changed_values_between_insertions() -> None:
    other = bytearray(LONG[:4000] + b"new" + LONG[4000:])
    for offset in (100, 5000, 9000, 19_000):
        other[offset] ^= 0xFF
    splices = checked(LONG, bytes(other))
    assert splice.total(splices) <= 7 + 4
    assert len(splices) == 5


def test_equal_bytes_give_nothing() -> None:
    assert checked(LONG, LONG) == ()
    assert checked(b"", b"") == ()


def test_a_large_file_takes_seconds_at_most() -> None:
    before = RANDOM.randbytes(4 << 20)
    started = time.process_time()
    checked(before, before[:100] + b"x" * 99 + before[100:-100] + b"y")
    checked(bytes(1 << 20), bytes((1 << 20) + 7))
    assert time.process_time() - started < 20
