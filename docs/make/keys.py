"""The page of keys, made of the actions of the window."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docs.make.commands import cell
from viewer.ui.frame.menus import MENUS, path_text
from viewer.ui.frame.shell import Shell
from viewer.ui.viewport.viewport import Viewport
from viewer.ui.widgets.guard import Guard
from viewer.ui.windows.help_windows import MOUSE, keys_text

START = """\
# Every key

Made of the actions of the window by `make pages`. F1 shows the same list, with search; Enter runs the first
that is found. There keys are changed too, or replaced by those of Blender or NifSkope. Keys are those at the
same place of the keyboard, whatever its layout.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([START, *lines()]) + "\n"


def lines() -> Iterator[str]:
    """A table for the mouse and one for each menu."""
    yield from ("## Mouse", "", "| Input | Action |", "| --- | --- |")
    yield from (f"| {cell(str(keys))} | {cell(str(what))} |" for keys, what in MOUSE)
    yield ""
    nothing: Any = None  # the actions are there before anything is drawn
    actions = Shell(Viewport(nothing, nothing), Guard()).actions
    for menu in MENUS:
        rows = [it for it in actions if it.menu == menu]
        if rows:
            yield from (f"## {path_text(menu)}", "", "| Action | Keys |", "| --- | --- |")
            yield from (f"| {cell(it.text())} | {shown(keys_text(it))} |" for it in rows)
            yield ""


def shown(keys: str) -> str:
    """Chords as code."""
    return ", ".join(f"`{chord}`" for chord in keys.split())
