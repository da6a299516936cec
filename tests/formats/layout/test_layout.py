"""Layouts: what is declared is read, written and reported at its place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from tests.formats.contract import check_field_change, check_payload
from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError
from viewer.formats.layout.layout import Count, Layout
from viewer.formats.layout.lists import Listing, Nested, Tagged, TaggedRows
from viewer.formats.layout.members import Array, Short, Single, Varying, tail
from viewer.formats.record import Field, Record, Rows

HEAD = Record(
    "head",
    4,
    Field("mark", "u1", "Always 7.", allowed=(7,)),
    Field("pairs", "u1", "Number of pairs.", allowed=range(100)),
    Field("width", "u1", "Numbers in a line."),
    Field("groups", "i1", "Number of groups."),
)
PAIR = Record("pairs", 2, Field("a", "u1", "A number."), Field("b", "u1", "Another number."))
WORD = Record("words", 2, Field("word", "<u2", "A word."))
SIZE = Record("size", 1, Field("count", "u1", "Number of words."))
KINDS = {
    1: Record("one", 1, Field("kind", "u1", "1.")),
    2: Record("two", 3, Field("kind", "u1", "2."), Field("x", "<u2", "X.")),
}


def line_record(width: int) -> Record:
    return Record("lines", width, Field("numbers", "u1", "Numbers.", (width,)))


class Counted(Struct, frozen=True):
    """Words with their number."""

    size: np.void
    words: Rows


class Value(Struct, frozen=True):
    """One attribute for each kind of member."""

    head: np.void
    pairs: Rows
    lines: Rows
    groups: tuple[Counted, ...]
    mixed: TaggedRows
    tail: bytes
    diagnostics: tuple[Diagnostic, ...] = ()


COUNTED = Layout(Counted, size=Single(SIZE), words=Array(WORD, Count("size", "count")))
LAYOUT = Layout(
    Value,
    stated={"mixed_count": 1},
    head=Single(HEAD, "X01", {"pairs": "X02"}),
    pairs=Array(PAIR, Count("head", "pairs"), "X03"),
    lines=Array(Varying(line_record, Count("head", "width")), lambda _: 1, "X04", Short.LEFT),
    groups=Listing("groups", Nested("group", COUNTED), "Groups.", Count("head", "groups"), "X05"),
    mixed=Tagged("mixed", KINDS, "Mixed.", lambda it: it.mixed_count, "X06"),
    tail=tail("The rest.", "X07"),
)
WHOLE = bytes([7, 1, 3, 2]) + b"ab" + b"123" + b"\1\5\0" + b"\0" + b"\2\6\0"


def found(data: bytes) -> list[tuple[str, str]]:
    value = LAYOUT.decode(data)
    check_payload(data, LAYOUT.encode(value), LAYOUT.parts(value), value.diagnostics)
    return [(it.rule, it.where) for it in value.diagnostics]


def test_every_member_is_read() -> None:
    value = LAYOUT.decode(WHOLE + b"\1", 2)
    assert value.pairs.tolist() == [(ord("a"), ord("b"))]
    assert value.lines["numbers"].tolist() == [[*b"123"]]
    assert [group.words["word"].tolist() for group in value.groups] == [[5], []]
    assert (value.mixed.codes.tolist(), value.mixed.offsets.tolist()) == ([2, 1], [13, 16])
    assert (value.tail, value.diagnostics) == (b"", ())


@pytest.mark.parametrize(
    ("data", "rule", "where"),
    [
        (b"\7\1\1", "X01", "head"),
        (b"\6\1\1\1", "X01", "head.mark"),
        (b"\7\144\1\1", "X02", "head.pairs"),
        (b"\7\3\1\1ababa", "X03", "head.pairs"),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_place(data: bytes, rule: str, where: str) -> None:
    with pytest.raises(FormatError) as caught:
        LAYOUT.decode(data)
    assert (caught.value.rule, caught.value.where) == (rule, where)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (WHOLE, []),
        (WHOLE + b"?", [("X07", "tail")]),
        (WHOLE[:-1], [("X06", "mixed[0]")]),
        (WHOLE[:12] + b"\1\1", [("X05", "groups[1]")]),
        (WHOLE[:8], [("X04", "lines[0]")]),
    ],
)
def test_what_does_not_fit_is_left_to_the_tail(data: bytes, expected: list[tuple[str, str]]) -> None:
    assert found(data)[:1] == expected


def test_rows_that_are_whole_are_read_if_that_is_declared() -> None:
    class Words(Struct, frozen=True):
        words: Rows
        tail: bytes
        diagnostics: tuple[Diagnostic, ...] = ()

    layout = Layout(Words, words=Array(WORD, lambda _: 3, "X", Short.PARTIAL), tail=tail("The rest."))
    value = layout.decode(b"\1\0\2\0\3")
    assert (value.words["word"].tolist(), value.tail) == ([1, 2], b"\3")
    assert [(it.rule, it.where) for it in value.diagnostics] == [("X", "words[2]")]


def test_an_attribute_that_the_value_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="other"):
        Layout(Counted, size=Single(SIZE), other=Array(WORD))


@given(st.binary(max_size=40) | st.binary(max_size=40).map(lambda rest: bytes([7, 1, 3, 2]) + rest))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        LAYOUT.decode(data)
    except FormatError:
        return
    found(data)


@given(st.data())
def test_a_changed_field_changes_its_bytes_alone(data: st.DataObject) -> None:
    value: Any = LAYOUT.decode(WHOLE + b"tail")
    check_field_change(value, LAYOUT.encode, LAYOUT.parts(value), data)


def test_the_fields_that_count_rows_are_known() -> None:
    assert LAYOUT.counts["head"] == {"pairs": ("pairs", 0), "groups": ("groups", 0)}
