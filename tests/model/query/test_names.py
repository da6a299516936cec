"""Names of a directory, compared by whole arrays: the same as one by one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.text import decode, fold
from viewer.model.query.names import NameFilter, NameTable

LETTERS = st.sampled_from("aAbB.жЖ_1[?").map(lambda letter: letter.encode("cp1251"))
NAMES = st.lists(LETTERS, max_size=6).map(b"".join)


def table(names: list[bytes], size: int = 8) -> NameTable:
    fields = b"".join(name.ljust(size, b"\0") for name in names)
    matrix: npt.NDArray[np.uint8] = np.frombuffer(fields, np.uint8).reshape(-1, size)
    return NameTable(matrix)


@given(st.lists(NAMES, max_size=12), st.text("aAbЖ.*?[]1_ж ", max_size=6))
def test_a_filter_finds_the_same_names_as_one_by_one(names: list[bytes], text: str) -> None:
    requested = NameFilter(text)
    expected = [requested.matches(decode(name)) for name in names]
    assert table(names).matching(requested).tolist() == expected


@given(st.lists(NAMES, max_size=12))
def test_names_are_found_as_the_engine_finds_them(names: list[bytes]) -> None:
    folded = [fold(name) for name in names]
    assert table(names).is_unique.tolist() == [folded.count(name) == 1 for name in folded]
    for name in names:
        assert table(names).find(name.swapcase() if name.isascii() else name) == folded.index(fold(name))
    assert table(names).find(b"no such name") is None


def test_the_order_is_alphabetical_whatever_the_case_and_keeps_equal_names() -> None:
    names = [b"b", b"A", "Жук".encode("cp1251"), "жаба".encode("cp1251"), b"a", b""]
    assert table(names).order.tolist() == [5, 1, 4, 0, 3, 2]


def test_a_name_of_full_length_ends_with_its_field() -> None:
    assert table([b"abcdefgh", b"x"])[0] == "abcdefgh"
    assert table([b"abcdefgh", b"habc"]).matching(NameFilter("ha")).tolist() == [False, True]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("", "walker.msh", True),
        ("   ", "walker.msh", True),
        ("walk", "WALKER.MSH", True),
        ("lker", "walker.msh", True),
        ("walk*", "walker.msh", True),
        ("alk*", "walker.msh", False),
        ("*.msh", "walker.msh", True),
        ("*.msh", "walker.msh.bak", False),
        ("r?b", "rob", True),
        ("r?b", "robot", False),
        ("robot arm", "arm_of_robot", True),
        ("robot arm", "robot_leg", False),
        ("ЖУК", "жук.msh", True),
        ("a.b", "axb", False),
        ("(", "a(b", True),
        ("[ab]*", "beta", True),
        ("[", "a[b", False),
    ],
)
def test_filter_matches_as_typed(text: str, name: str, *, expected: bool) -> None:
    assert NameFilter(text).matches(name) is expected


def test_filter_is_empty_without_words() -> None:
    assert NameFilter(" ").is_empty
    assert not NameFilter("a").is_empty
