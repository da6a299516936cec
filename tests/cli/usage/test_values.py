"""Arguments declare what they take; argparse speaks the user's language without being changed."""

from __future__ import annotations

import argparse
import gettext

import pytest

from viewer.cli.usage.parser import arguments_of, in_language, parser_of
from viewer.cli.usage.values import Value
from viewer.resources import use_language
from viewer.translation import ENGLISH


def values_of(verb: str) -> dict[str, tuple[Value, ...]]:
    return {it.names[-1] if it.names else it.metavar: it.values for it in arguments_of(parser_of(verb))}


def test_each_argument_says_what_it_takes() -> None:
    found = values_of("pose")
    assert found["PATH[::ENTRY]"] == (Value.ADDRESS,)
    assert (found["--clip"], found["--channel"], found["--game"]) == (
        (Value.CLIP,), (Value.CHANNEL,), (Value.FOLDER,),
    )  # fmt: skip
    assert found["--blend"] == (Value.OTHER,), "a weight, though its placeholder is that of a file"
    assert found["--json"] == ()
    assert values_of("extract")["--output"] == (Value.FOLDER,)
    assert values_of("export")["--output"] == (Value.FILE,)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("argument --time: expected one argument", "аргумент --time: нужен один аргумент"),
        ("unrecognized arguments: a b", "неизвестные аргументы: a b"),
    ],
)
def test_messages_of_argparse_are_translated(message: str, expected: str) -> None:
    assert vars(argparse)["_"] is gettext.gettext
    use_language("ru")
    try:
        assert in_language(message) == expected
        assert in_language("argument --x: what it is not").endswith(" --x: what it is not")
    finally:
        use_language(ENGLISH)
    assert in_language(message) == message
