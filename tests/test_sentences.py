"""Messages with values are sentences, which keep their template; an f-string cannot be translated later."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

VIEWER: Final = Path(__file__).parents[1] / "viewer"
ROOMS: Final = ("formats", "model")
NO_MESSAGE: Final = {
    "formats/archive/stretches.py:part": "explanation of a part",
    "formats/fxid.py:_kind": "explanation of a record",
    "formats/meaning.py:_bits_text": "meaning of a value",
    "formats/meaning.py:_decoded_text": "meaning of a value",
    "formats/meaning.py:_meanings": "meaning of a value",
    "formats/meaning.py:_value_name": "meaning of a value",
    "formats/msh/parts.py:_stretch": "explanation of a part",
    "formats/msh/triangles.py:": "explanation of a field",
    "formats/record.py:flags_text": "meaning of a value",
    "formats/layout/lists.py:part": "explanation of a part",
    "formats/texture/texm.py:part": "explanation of a part",
    "model/clips/clip.py:name": "what --clip takes",
    "model/compare/differences.py:__getitem__": "text of a value",
    "model/convert/importing/hierarchy.py:_other_cells": "names of cells",
    "model/convert/labels.py:numbered": "name in a file",
    "model/convert/labels.py:of_cell": "name in a file",
    "model/convert/obj/sidecar.py:text_of": "text of a file",
    "model/convert/obj/write.py:_color": "text of a file",
    "model/convert/obj/write.py:_faces": "text of a file",
    "model/convert/obj/write.py:_library": "text of a file",
    "model/convert/obj/write.py:_lines": "text of a file",
    "model/convert/text/writing.py:_described": "text of a file",
    "model/convert/text/writing.py:_nres_entries": "text of a file",
    "model/convert/text/places.py:_at": "text of a file",
    "model/convert/text/values.py:hexadecimal": "text of a file",
    "model/convert/text/values.py:objects": "text of a file",
    "model/convert/text/values.py:padded_text": "text of a file",
    "model/convert/text/values.py:text_lines": "text of a file",
    "model/convert/text/values.py:_text": "text of a file",
    "model/convert/text/values.py:_line": "text of a file",
    "model/convert/text/values.py:_tagged": "text of a file",
    "model/convert/text/values.py:write_object": "text of a file",
    "model/edit/nodes/node_edit.py:by_node": "names of places",
    "model/edit/nodes/node_edit.py:words": "name of a place",
    "model/game/installs.py:_linux": "path of a folder",
    "model/game/installs.py:_macos": "path of a folder",
    "model/game/installs.py:_windows": "path of a folder",
    "model/material/materials.py:__str__": "name of a resource",
    "model/mesh/model.py:missing_tables": "list of types",
}
"""Functions with f-strings of words that are no messages, and what those are."""
MAKERS: Final = frozenset(
    {"Diagnostic", "FormatError", "AddressError", "OutputError", "UsageError", "findings", "row_findings"}
)
"""What is made from a message."""
OTHERS: Final = frozenset({"ValueError", "MissingResource"})
"""Errors of a wrong call, which are for developers, and words that are drawn into a texture."""


def _messages(name: str, source: str) -> set[str]:
    """The functions of a module with f-strings that have words, or that a message is made from."""
    return {
        f"{name}:{function}"
        for text, function, callers in _strings(ast.parse(source), "", ())
        if _is_message(text, callers)
    }


def _strings(
    node: ast.AST, function: str, callers: tuple[str, ...]
) -> Iterator[tuple[ast.JoinedStr, str, tuple[str, ...]]]:
    """Yield f-strings, the functions that they are in, and what is called with them."""
    if isinstance(node, ast.JoinedStr):
        yield node, function, callers
        return
    if isinstance(node, ast.Call):
        callers = (*callers, ast.unparse(node.func).rpartition(".")[2])
    if isinstance(node, ast.FunctionDef):
        function = node.name
    for child in ast.iter_child_nodes(node):
        yield from _strings(child, function, callers)


def _is_message(text: ast.JoinedStr, callers: tuple[str, ...]) -> bool:
    if not OTHERS.isdisjoint(callers):
        return False
    words = "".join(str(part.value) for part in text.values if isinstance(part, ast.Constant))
    return " " in words or not MAKERS.isdisjoint(callers)


def _all_messages() -> set[str]:
    paths = [path for room in ROOMS for path in (VIEWER / room).rglob("*.py")]
    assert len(paths) > len(ROOMS)
    found = (_messages(path.relative_to(VIEWER).as_posix(), path.read_text("utf-8")) for path in paths)
    return set().union(*found)


def test_messages_with_values_are_sentences() -> None:
    """The exceptions are exactly those that exist, so that none outlives its function."""
    assert _all_messages() == set(NO_MESSAGE)


@pytest.mark.parametrize(
    ("line", "is_message"),
    [
        ('message = f"{count} rows"', True),
        ('raise FormatError(f"{count}")', True),
        ('findings("V01", ERROR, table, is_wrong, lambda row: f"{row}")', True),
        ('yield errors.Diagnostic("V01", ERROR, f"{count}")', True),
        ('raise ValueError(f"{count} rows")', False),
        ('path = f"{table}[{row}]"', False),
        ('message = Sentence("{count} rows", count=count)', False),
    ],
)
def test_a_message_is_told_from_other_text(line: str, is_message: bool) -> None:
    assert _messages("a.py", f"def made():\n    {line}") == ({"a.py:made"} if is_message else set())
