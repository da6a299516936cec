"""No text reaches the screen without a translation: the sources of the window, read as syntax trees.

Messages with values keep their template; an f-string cannot be translated later.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

import pytest

from tests.corpora import ROOT
from tests.sources import viewer_modules

VIEWER = ROOT / "viewer"
TRANSLATES = {"_", "ngettext", "counted"}
EXEMPT = {
    "MissingResource": "a text that is looked up where it is drawn",
    "TypeVar": "a name in the source",
}
"""Calls whose arguments are not text of the window."""
KEYS = {
    "Alt",
    "Cmd",
    "Ctrl",
    "Del",
    "Down",
    "End",
    "Enter",
    "Esc",
    "Home",
    "Left",
    "Right",
    "Shift",
    "Space",
    "Tab",
    "Up",
}
SHOWN = {
    "add_text": (2,),
    "announce": (0,),
    "begin": (0,),
    "begin_combo": (1,),
    "begin_menu": (0,),
    "begin_tab_item": (0,),
    "button": (0, 2),
    "checkbox": (0, 2),
    "collapsing_header": (0,),
    "complain": (0,),
    "draw_cancel": (3,),
    "draw_progress": (2,),
    "draw_unreadable": (0,),
    "empty": (0,),
    "fold_button": (1,),
    "ghost_button": (2,),
    "icon_button": (2,),
    "label": (0,),
    "labeled": (0,),
    "menu_item": (0,),
    "menu_item_simple": (0,),
    "note": (0,),
    "radio_button": (0, 2),
    "selectable": (0,),
    "separator_text": (0,),
    "small_button": (0, 2),
    "text": (0,),
    "text_link": (0,),
    "text_unformatted": (0,),
    "text_colored": (1,),
    "tooltip": (0,),
    "tree_node_ex": (0,),
    "wrapped": (0,),
    "wrapped_link": (1,),
}
"""Functions that draw or log text, and which of their arguments is the text."""
SENTENCE = re.compile(
    r"[^\W\d_]{2,}[,;:.]?\s+[^\W\d_]{2,}|^[A-Z][a-z]+$|[^\W\d_]…|[{}] [^\W\d_]{2,}|[^\W\d_]{2,} [{}]"
)
"""Several words, one that begins with a capital letter, or one beside a value in braces."""
WORD = re.compile(r"[^\W\d_]{2,}")
ALLOWED = {
    "app/platform/gui.py": "names of font files, and the version line of a shader",
    "app/program_info.py": "names of packages and licenses, and a report that is read in English",
}
"""Modules with text that is not translated, and why."""
COMMANDS = {"OSASCRIPT", "POWERSHELL", "CARD_START"}
"""Constants that hold commands in the languages of other programs."""


@pytest.fixture(scope="module")
def modules() -> list[tuple[str, ast.Module]]:
    """The modules of the window, by their paths."""
    return [*viewer_modules("ui", "app")]


def called(node: ast.AST) -> str:
    """The name of the function of a call, empty for anything else."""
    if not isinstance(node, ast.Call):
        return ""
    function = node.func
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def is_command(node: ast.AST) -> bool:
    """Tell whether a constant of `COMMANDS` is set."""
    return (
        isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id in COMMANDS
    )


def literals(node: ast.AST) -> Iterator[ast.Constant]:
    """Text in the source below a node that is neither translated nor a docstring."""
    if called(node) in TRANSLATES | EXEMPT.keys() or is_command(node):
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from literals(child)


def shown(text: str) -> str:
    """The part of a label that is on screen."""
    return text.partition("##")[0]


def is_key(text: str) -> bool:
    """Tell whether a text names keys of the keyboard, as the menus write them."""
    return all(chord.rpartition("+")[2] in KEYS for chord in text.split())


def test_every_sentence_is_translated(modules: list[tuple[str, ast.Module]]) -> None:
    found = [
        f"{name}:{literal.lineno}: {literal.value!r}"
        for name, tree in modules
        if name not in ALLOWED
        for literal in literals(tree)
        if SENTENCE.search(shown(str(literal.value))) and not is_key(str(literal.value))
    ]
    assert found == []


def test_every_word_that_is_drawn_is_translated(modules: list[tuple[str, ast.Module]]) -> None:
    found = []
    for name, tree in modules:
        for call in ast.walk(tree):
            for place in SHOWN.get(called(call), ()):
                arguments = call.args[place : place + 1] if isinstance(call, ast.Call) else []
                found += [
                    f"{name}:{literal.lineno}: {literal.value!r}"
                    for argument in arguments
                    for literal in directly(argument)
                    if WORD.search(shown(str(literal.value)))
                ]
    assert found == []


def directly(argument: ast.expr) -> Iterator[ast.Constant]:
    """Text that is the argument itself: a literal, a part of a template or list, a side of a choice."""
    match argument:
        case ast.Constant(value=str()):
            yield argument
        case ast.JoinedStr(values=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts):
            for part in parts:
                yield from directly(part)
        case ast.IfExp(body=body, orelse=orelse):
            yield from directly(body)
            yield from directly(orelse)
        case ast.BoolOp(values=parts):
            for part in parts:
                yield from directly(part)
        case ast.BinOp(left=left, right=right):
            yield from directly(left)
            yield from directly(right)


def test_what_is_excepted_exists() -> None:
    assert {name for name in ALLOWED if (VIEWER / name).is_file()} == set(ALLOWED)


def test_texts_are_not_made_of_values_before_they_are_looked_up(
    modules: list[tuple[str, ast.Module]],
) -> None:
    """The catalogue knows the template: `_` and its like take literals, never text with values in it."""
    found = [
        f"{name}:{call.lineno}"
        for name, tree in modules
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and called(call) == "_"
        if not (call.args and isinstance(call.args[0], ast.Constant))
    ]
    assert found == []


ROOMS: Final = ("formats", "model")
NO_MESSAGE: Final = {
    "formats/fxid.py:_field": "explanation of a field",
    "formats/fxid.py:_kind": "explanation of a record",
    "formats/meaning.py:_bits_text": "meaning of a value",
    "formats/meaning.py:_decoded_text": "meaning of a value",
    "formats/msh/triangles.py:": "explanation of a field",
    "model/clips/clip.py:name": "what --clip takes",
    "model/compare/differences.py:__getitem__": "text of a value",
    "model/convert/gltf/tree.py:nodes": "share of a size",
    "model/convert/importing/nodes/hierarchy.py:_other_cells": "names of cells",
    "model/convert/labels.py:numbered": "name in a file",
    "model/convert/labels.py:of_cell": "name in a file",
    "model/convert/obj/frame.py:sidecar_text": "text of a file",
    "model/convert/obj/write.py:_color": "text of a file",
    "model/convert/obj/write.py:_faces": "text of a file",
    "model/convert/obj/write.py:_library": "text of a file",
    "model/convert/obj/write.py:_lines": "text of a file",
    "model/convert/text/writing.py:_described": "text of a file",
    "model/convert/text/writing.py:_nres_entries": "text of a file",
    "model/convert/text/places.py:_at": "text of a file",
    "model/convert/text/values.py:objects": "text of a file",
    "model/convert/text/values.py:padded_text": "text of a file",
    "model/convert/text/values.py:_text": "text of a file",
    "model/convert/text/values.py:_line": "text of a file",
    "model/convert/text/values.py:_tagged": "text of a file",
    "model/convert/text/values.py:write_object": "text of a file",
    "model/edit/nodes/node_edit.py:by_node": "names of places",
    "model/edit/nodes/node_edit.py:words": "name of a place",
    "model/game/installs.py:_linux": "path of a folder",
    "model/game/installs.py:_macos": "path of a folder",
    "model/game/installs.py:_windows": "path of a folder",
    "model/game/part_names.py:__str__": "name of a part and its code",
    "model/material/materials.py:__str__": "name of a resource",
    "model/mesh/model.py:missing_tables": "list of types",
    "model/store/held.py:refuse_read_only": "a command",
    "model/tables/column.py:_name": "number and its name",
    "model/tables/row_labels.py:label": "number and its name",
    "model/tables/table.py:_labeled": "number and its name",
}
"""Functions with f-strings of words that are no messages, and what those are."""
MAKERS: Final = frozenset(
    {
        "Diagnostic",
        "FormatError",
        "AddressError",
        "OutputError",
        "UsageError",
        "finding",
        "failure",
        "in_rows",
    }
    | {"row_findings"}
)
"""What is made from a message."""
OTHERS: Final = frozenset({"ValueError", "MissingResource"})
"""Errors of a wrong call, which are for developers, and words that are drawn into a texture."""


def _messages(name: str, module: ast.Module) -> set[str]:
    """The functions of a module with f-strings that have words, or that a message is made from."""
    return {
        f"{name}:{function}"
        for text, function, callers in _strings(module, "", ())
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


def test_messages_with_values_keep_their_template() -> None:
    """The exceptions are exactly those that exist, so that none outlives its function."""
    found = [_messages(name, module) for name, module in viewer_modules(*ROOMS)]
    assert len(found) > len(ROOMS)
    assert set().union(*found) == set(NO_MESSAGE)


@pytest.mark.parametrize(
    ("line", "is_message"),
    [
        ('message = f"{count} rows"', True),
        ('raise FormatError(f"{count}")', True),
        ('rule.in_rows(is_wrong, lambda row: f"{row}")', True),
        ('yield errors.Diagnostic("V01", ERROR, f"{count}")', True),
        ('raise ValueError(f"{count} rows")', False),
        ('path = f"{table}[{row}]"', False),
        ('message = _("{count} rows", count=count)', False),
    ],
)
def test_a_message_is_told_from_other_text(line: str, is_message: bool) -> None:
    module = ast.parse(f"def made():\n    {line}")
    assert _messages("a.py", module) == ({"a.py:made"} if is_message else set())
