"""Splices: exact, reversible, and combined without a byte more than both steps change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats import splice
from viewer.formats.splice import Splice, Splices


def steps(data: bytes, chosen: st.DataObject) -> Splices:
    draw = chosen.draw
    cuts = sorted(draw(st.lists(st.integers(0, len(data)), max_size=8)))
    pairs = zip(cuts[::2], cuts[1::2], strict=False)
    return splice.ordered(Splice(a, data[a:b], draw(st.binary(max_size=6))) for a, b in pairs)


@given(st.data(), st.binary(max_size=40))
def test_two_steps_are_one(chosen: st.DataObject, data: bytes) -> None:
    first = steps(data, chosen)
    middle = splice.applied(data, first)
    second = steps(middle, chosen)
    after = splice.applied(middle, second)
    both = splice.combined(first, second)
    assert splice.applied(data, both) == after
    assert splice.applied(after, splice.reverse(both)) == data
    assert splice.growth(both) == len(after) - len(data)


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_between_leads_from_one_to_the_other(before: bytes, after: bytes) -> None:
    assert splice.applied(before, splice.between(before, after)) == after


def test_what_is_far_apart_is_replaced_apart() -> None:
    before, after = bytes(20), b"\x01" + bytes(10) + b"\x02" + bytes(8)
    assert splice.between(before, after) == (Splice(0, b"\0", b"\x01"), Splice(11, b"\0", b"\x02"))


def test_only_bytes_that_change_stay_of_those_that_are_longer_than_four() -> None:
    """Each splice for itself: equal bytes at the ends of two that follow each other join nothing."""
    given = (Splice(3, b"abcdef", b"xbcdef"), Splice(9, b"ghijkl", b"ghijkx"), Splice(20, b"ab", b"ac"))
    assert splice.exact(given) == (Splice(3, b"a", b"x"), Splice(14, b"l", b"x"), Splice(20, b"ab", b"ac"))
    touching = (Splice(0, b"abcdex", b"abcdey"), Splice(6, b"xbcdef", b"ybcdef"))
    assert splice.exact(touching) == (Splice(5, b"x", b"y"), Splice(6, b"x", b"y"))


def test_a_step_and_its_undo_are_nothing() -> None:
    first = (Splice(3, b"abc", b"xy"),)
    assert splice.combined(first, splice.reverse(first)) == ()


def test_other_bytes_than_expected_are_refused() -> None:
    with pytest.raises(ValueError, match="other bytes at 1"):
        splice.applied(b"abc", (Splice(1, b"x", b"y"),))


def test_overlaps_are_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        splice.ordered([Splice(0, b"ab", b"x"), Splice(1, b"b", b"y")])


@pytest.mark.parametrize("at", [0, (1 << 20) - 1, 1 << 20, (1 << 21) + 4])
def test_bytes_are_equal_if_each_of_them_is(at: int) -> None:
    one = bytes((1 << 21) + 5)
    other = one[:at] + b"\1" + one[at + 1 :]
    assert splice.same_bytes(memoryview(one), bytearray(one))
    assert not splice.same_bytes(memoryview(one), memoryview(other))
    assert not splice.same_bytes(one, one[:at])
    assert splice.same_bytes(b"", memoryview(b""))
