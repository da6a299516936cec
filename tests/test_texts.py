"""No text reaches the screen without a translation: the sources of the window, read as syntax trees."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

VIEWER = Path(__file__).parents[1] / "viewer"
TRANSLATES = {"_", "ngettext", "counted", "Message"}
EXEMPT = {
    "MissingResource": "a message of the model, which stays English",
    "TypeVar": "a name in the source",
}
"""Calls whose arguments are not text of the window."""
KEYS = {
    "Alt",
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
    "button": (0,),
    "checkbox": (0,),
    "collapsing_header": (0,),
    "complain": (0,),
    "empty": (0,),
    "ghost_button": (2,),
    "icon_button": (2,),
    "labeled": (0,),
    "menu_item": (0,),
    "menu_item_simple": (0,),
    "note": (0,),
    "radio_button": (0,),
    "selectable": (0,),
    "separator_text": (0,),
    "small_button": (0,),
    "text": (0,),
    "text_link": (0,),
    "text_unformatted": (0,),
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
    "app/settings/stored_fields.py": "names that settings files of former versions hold",
    "app/platform/gui.py": "names of font files, and the version line of a shader",
    "app/program_info.py": "names of packages and licenses, and a report that is read in English",
}
"""Modules with text that is not translated, and why."""
COMMANDS = {"OSASCRIPT", "POWERSHELL"}
"""Constants that hold commands in the languages of other programs."""


def modules() -> Iterator[tuple[str, ast.Module]]:
    for room in ("ui", "app"):
        for path in sorted((VIEWER / room).rglob("*.py")):
            yield path.relative_to(VIEWER).as_posix(), ast.parse(path.read_text("utf-8"))


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


def test_every_sentence_is_translated() -> None:
    found = [
        f"{name}:{literal.lineno}: {literal.value!r}"
        for name, tree in modules()
        if name not in ALLOWED
        for literal in literals(tree)
        if SENTENCE.search(shown(str(literal.value))) and not is_key(str(literal.value))
    ]
    assert found == []


def test_every_word_that_is_drawn_is_translated() -> None:
    found = []
    for name, tree in modules():
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


def test_texts_are_not_made_of_values_before_they_are_looked_up() -> None:
    """The catalogue knows the template: `_` and its like take literals, never text with values in it."""
    found = [
        f"{name}:{call.lineno}"
        for name, tree in modules()
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and called(call) in {"_", "Message"}
        if not (call.args and isinstance(call.args[0], ast.Constant))
    ]
    assert found == []
