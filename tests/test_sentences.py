"""Messages with values are sentences, which keep their template; an f-string cannot be translated later."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
ROOMS: Final = ("model/checks",)
NO_MESSAGE: Final = {
    "formats/msh/parts.py": "explanation of a part",
}
"""Files whose f-strings with words are no messages, and what they are."""
MAKERS: Final = frozenset(
    {"Diagnostic", "FormatError", "AddressError", "OutputError", "findings", "row_findings"}
)
"""What is made from a message."""
INTERNAL: Final = frozenset({"ValueError", "TypeError", "KeyError"})
"""Errors of a wrong call, which are for developers."""


def _found(source: str) -> list[int]:
    """The lines of f-strings that are messages: those with words, and those that a message is made from."""
    return sorted(
        {text.lineno for text, callers in _strings(ast.parse(source), ()) if _is_message(text, callers)}
    )


def _strings(node: ast.AST, callers: tuple[str, ...]) -> Iterator[tuple[ast.JoinedStr, tuple[str, ...]]]:
    """Yield f-strings and the names of the calls they are in."""
    if isinstance(node, ast.JoinedStr):
        yield node, callers
        return
    if isinstance(node, ast.Call):
        callers = (*callers, ast.unparse(node.func).rpartition(".")[2])
    for child in ast.iter_child_nodes(node):
        yield from _strings(child, callers)


def _is_message(text: ast.JoinedStr, callers: tuple[str, ...]) -> bool:
    if not INTERNAL.isdisjoint(callers):
        return False
    words = "".join(str(part.value) for part in text.values if isinstance(part, ast.Constant))
    return " " in words or not MAKERS.isdisjoint(callers)


def _modules() -> list[str]:
    viewer = ROOT / "viewer"
    return sorted(
        path.relative_to(viewer).as_posix() for room in ROOMS for path in (viewer / room).rglob("*.py")
    )


def test_messages_with_values_are_sentences() -> None:
    found = {name: _found((ROOT / "viewer" / name).read_text("utf-8")) for name in _modules()}
    assert {name: lines for name, lines in found.items() if lines and name not in NO_MESSAGE} == {}


def test_every_exception_is_needed() -> None:
    needed = {name for name in NO_MESSAGE if _found((ROOT / "viewer" / name).read_text("utf-8"))}
    assert needed == set(NO_MESSAGE)


@pytest.mark.parametrize(
    ("line", "is_found"),
    [
        ('message = f"{count} rows"', True),
        ('raise FormatError(f"{count}")', True),
        ('findings("V01", ERROR, table, is_wrong, lambda row: f"{row}")', True),
        ('yield nres.Diagnostic("V01", ERROR, f"{count}")', True),
        ('raise ValueError(f"{count} rows")', False),
        ('path = f"{table}[{row}]"', False),
        ('message = Sentence("{count} rows", count=count)', False),
    ],
)
def test_a_message_is_told_from_other_text(line: str, is_found: bool) -> None:
    assert bool(_found(line)) is is_found
