"""Wildcards, words and case in filter fields."""

from __future__ import annotations

import pytest

from viewer.model.query.name_filter import NameFilter


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
