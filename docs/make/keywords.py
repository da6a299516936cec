"""The module of the library that names the options of functions, made of their declarations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

from viewer.model.convert.options import Options
from viewer.model.store.address import Address
from viewer.operations.given_options import parameters
from viewer.operations.reading_options import ReadingOptions
from viewer.options import SWITCH, Declared, ShellOption
from viewer.session.view.view_state import ViewState

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
    "RenderKeywords": ("The options of `Model.render`.", ViewState),
}
LONGEST: Final = 110
"""Characters of a line."""
WIDTH: Final = LONGEST - len('            "",')
NO_DEFAULT: Final = ("y_up", "light")
"""Options whose default depends on the format, or on a sky that is given."""


def page() -> str:
    """The whole module."""
    lines = [START]
    for name, (words, kind) in CLASSES.items():
        lines += ["", f"class {name}(TypedDict, total=False):", f'    """{words}"""', ""]
        for parameter, option in parameters(kind).items():
            lines += [*_keyword(parameter, option, option.of(kind()))]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _keyword(name: str, option: Declared, usual: Any) -> Iterator[str]:
    """The lines of an option; `usual` is its default."""
    shell = option.option.shell
    assert shell is not None
    default = None if name in NO_DEFAULT or option.is_set else usual
    default = default.value if isinstance(default, Enum) else default
    yield f"    {name}: Annotated["
    yield from _type(option, " | None" if default is None else "")
    yield "        Keyword("
    yield f"            {_text(default) if isinstance(default, str) else repr(default)},"
    *lines, last = wrap(_said(option, shell), WIDTH, drop_whitespace=False, break_on_hyphens=False)
    yield from (f"            {_text(it)}" for it in lines)
    yield f"            {_text(last)},"
    yield "        ),"
    yield "    ]"


def _type(option: Declared, none: str) -> Iterator[str]:
    """The lines of the type of an option, which `none` may add to."""
    kind = option.value_kind
    values = [_text(it.value) for it in kind] if isinstance(kind, type) and issubclass(kind, Enum) else []
    if option.is_set:
        values = [_text(str(it.value)) for it in option.option.choices if it.is_typed]
        yield "        Sequence["
        yield from _literal("            ", values, "")
        yield from ("        ]", f"       {none},")  # its own line, as the formatter has it
    elif values:
        yield from _literal("        ", values, f"{none},")
    else:
        yield f"        {'Name' if kind in (Path, Address) else kind.__name__}{none},"


def _literal(indent: str, values: Sequence[str], end: str) -> Iterator[str]:
    """The lines of a type of some texts."""
    line = f"{indent}Literal[{', '.join(values)}]{end}"
    if len(line) <= LONGEST:
        yield line
    else:
        yield from (f"{indent}Literal[", *(f"{indent}    {it}," for it in values), f"{indent}]{end}")


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


def _text(text: str) -> str:
    """A text as the formatter writes it: in double quotes, unless it has some itself."""
    return repr(text) if '"' in text else f'"{text}"'
