"""What is searched for."""

from __future__ import annotations

import pytest

from viewer.errors import UsageError
from viewer.model.search.query import EVERYWHERE, Query, Scope


@pytest.mark.parametrize(
    ("text", "data", "is_found"),
    [
        ("4E 52 ?? 65", b"NRxe", True),
        ("4E 52 ?? 65", b"NR\ne", True),
        ("4e 52", b"nr", False),
        ("4E 52 65", b"NR.e", False),
        ("?? ??", b"ab", None),
        ("4E", b"N", None),
        ("4E52", b"NR", None),
        ("walker", b"walker", None),
    ],
)
def test_a_pattern_of_bytes(text: str, data: bytes, *, is_found: bool | None) -> None:
    pattern = Query(text).byte_pattern
    assert (None if pattern is None else bool(pattern.search(data))) == is_found


def test_digits_without_spaces_are_bytes_if_only_bytes_are_searched() -> None:
    pattern = Query("4E52", frozenset({Scope.BYTES})).byte_pattern
    assert pattern is not None
    assert pattern.search(b"NR")


@pytest.mark.parametrize(
    ("text", "data", "is_found"),
    [
        ("Walk", b"the wALKer", True),
        ("жук", "ЖУК".encode("cp1251"), True),
        ("a.b", b"axb", False),
        ("x", b"x", None),
        ("日本", b"", None),
    ],
)
def test_a_text_in_either_case(text: str, data: bytes, *, is_found: bool | None) -> None:
    pattern = Query(text).text_pattern
    assert (None if pattern is None else bool(pattern.search(data))) == is_found


def test_a_comparison_is_a_condition_and_nothing_else() -> None:
    query = Query("index_count > 300")
    assert query.condition is not None
    assert (query.names, query.types, query.patterns, query.value) == (None, None, (), None)


@pytest.mark.parametrize(("text", "number"), [("300", 300), ("0x12C", 300), ("1.5", 1.5), ("walker", None)])
def test_a_value(text: str, number: float | None) -> None:
    assert Query(text).number == number


@pytest.mark.parametrize(
    ("text", "scopes"),
    [
        (" ", EVERYWHERE),
        ("index_count >", EVERYWHERE),
        ("x" * 300, EVERYWHERE),
        ("walker", frozenset({Scope.BYTES})),
        ("x", frozenset({Scope.TEXT})),
        ("walker", frozenset()),
    ],
)
def test_what_cannot_be_searched_for_is_refused(text: str, scopes: frozenset[Scope]) -> None:
    with pytest.raises(UsageError):
        Query(text, scopes).check()
