"""Panels ask controllers for what follows, and change nothing while they draw."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import get_type_hints

import pytest

from tests.sources import parse, sources, text
from viewer.control.shown_state import ShownState
from viewer.control.state import State
from viewer.ui import context
from viewer.ui.context import UiContext


def chain(node: ast.AST) -> list[str]:
    """The names of attributes of attributes, outermost first: ``a.b.c`` gives ``c``, ``b``, ``a``."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [*names, node.id] if isinstance(node, ast.Name) else names


def is_asking(call: ast.Call) -> bool:
    """Whether a call keeps another one until the panels have drawn."""
    return "later" in chain(call.func)[:2]


def direct(tree: ast.AST, *, is_asked: bool = False) -> Iterator[ast.expr]:
    """The uses of controllers outside of what is asked for later."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Attribute) and "control" in chain(node) and not is_asked:
            yield node
        else:
            yield from direct(node, is_asked=is_asked or (isinstance(node, ast.Call) and is_asking(node)))


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("frame.later(frame.control.opening.open, address)", 0),
        ("run(frame.later.calling(it.frame.control.camera.frame_all))", 0),
        ("frame.later(frame.control.dialogs.ask, lambda path: frame.control.files.save(path))", 0),
        ("frame.control.opening.open(address)", 1),
        ("use = frame.control.opening", 1),
        ("run(partial(frame.control.opening.open, address))", 1),
    ],
)
def test_calls_that_do_not_wait_are_found(code: str, count: int) -> None:
    assert len([*direct(ast.parse(code))]) == count


def test_no_panel_calls_a_controller_while_it_draws() -> None:
    found = {
        name: [ast.unparse(it) for it in direct(parse(name))]
        for name in sources("viewer/ui")
        if "control" in text(name)
    }
    found.pop(
        "viewer/ui/actions/actions.py"
    )  # `calling` gives the controllers to what names a method of them
    assert {name: uses for name, uses in found.items() if uses} == {}


def test_panels_get_a_state_of_which_nothing_can_be_changed() -> None:
    """Its type has properties only, without setters: mypy refuses what assigns to one."""
    known = {name: it for name, it in vars(ShownState).items() if not name.startswith("_")}
    assert "settings" in known
    assert {name for name, it in known.items() if not isinstance(it, property) or it.fset} == set()
    assert {name for name in known if not hasattr(State, name)} == set()
    assert get_type_hints(UiContext, vars(context))["state"] is ShownState
