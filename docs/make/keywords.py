"""The module of the library that names the options of functions, made of their declarations."""

from __future__ import annotations

import subprocess
import sys
from enum import Enum
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

from viewer.model.convert.importing.findings import ImportChoices
from viewer.model.convert.options import Options
from viewer.model.store.address import Address
from viewer.operations.given_options import parameters
from viewer.operations.reading_options import ReadingOptions
from viewer.options import SWITCH, Declared, ShellOption
from viewer.session.view.view_state import ViewState

ROOT: Final = Path(__file__).parents[2]
START = '''\
"""The options of functions of the library by name, for editors, type checkers and `help`.

Written by `make pages` of the declarations of `ReadingOptions`, `Options` of exports and `ViewState`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

Name = str | os.PathLike[str]


class Keyword(NamedTuple):
    """An option of a function: its default, and what it does."""

    default: Any
    words: str
'''
CLASSES: Final = {
    "OpenKeywords": ("The options of `mshview.open` and `mshview.models`.", ReadingOptions),
    "ExportKeywords": ("The options of `Resource.export`.", Options),
    "ImportKeywords": ("The options of `Resource.import_from`.", ImportChoices),
    "RenderKeywords": ("The options of `Model.render`.", ViewState),
}
WIDTH: Final = 110 - len('            "",')
"""Characters of a text in a line, which the formatter does not wrap."""
NO_DEFAULT: Final = ("y_up", "light")
"""Options whose default depends on the format, or on a sky that is given."""


def page() -> str:
    """The whole module."""
    lines = [START]
    for name, (words, kind) in CLASSES.items():
        lines += ["", f"class {name}(TypedDict, total=False):", f'    """{words}"""', ""]
        for parameter, option in parameters(kind).items():
            lines.append(_keyword(parameter, option, option.of(kind())))
    return _formatted("\n".join(lines))


def _formatted(source: str) -> str:
    """The source as the formatter of the project writes it."""
    command = [sys.executable, "-m", "ruff", "format", "-"]
    done = subprocess.run(
        command, input=source, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True
    )
    return done.stdout


def _keyword(name: str, option: Declared, usual: Any) -> str:
    """The declaration of an option; `usual` is its default."""
    shell = option.option.shell
    assert shell is not None
    default = None if name in NO_DEFAULT or option.is_set else usual
    default = default.value if isinstance(default, Enum) else default
    kind = _type(option) + (" | None" if default is None else "")
    said = wrap(_said(option, shell), WIDTH, drop_whitespace=False, break_on_hyphens=False)
    return f"    {name}: Annotated[{kind}, Keyword({default!r}, {' '.join(map(repr, said))})]"


def _type(option: Declared) -> str:
    """The type of an option that is not None."""
    kind = option.value_kind
    if option.is_set:
        return f"Sequence[Literal{[str(it.value) for it in option.option.choices if it.is_typed]}]"
    if isinstance(kind, type) and issubclass(kind, Enum):
        return f"Literal{[it.value for it in kind]}"
    return "Name" if kind in (Path, Address) else str(kind.__name__)


def _said(option: Declared, shell: ShellOption) -> str:
    """The sentence of an option: that of the shell, in which a switch may have other words for on and off."""
    values = [str(it.value) for it in option.option.choices if it.is_typed]
    if option.is_set:
        return f"{option.label}: {', '.join(values)}; {shell.usual}."
    words = str(shell.words) if shell.usual is None else str(shell.said(shell.usual))
    words = words.replace("; {unless}", "").replace("%(choices)s", ", ".join(values))
    if shell.turns_off and option.option.hint:
        words = " ".join(map(str, option.option.hint)).rstrip(".")
    if shell.opposite is not None:
        words = f"True: {words}; False: {shell.opposite[1]}"
    if shell.states != SWITCH:
        off, on = shell.states
        words = f"False is ``{off}``, True ``{on}``; {words}"
    is_name = words.partition(":")[0] in (*values, "glTF")
    return f"{words}." if is_name else f"{words[0].upper()}{words[1:]}."
