"""The page of the library, made of its docstrings."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Iterator
from typing import Any

import mshview

START = """\
# The library

Made of the docstrings by `make pages`. The names here follow semantic versions; everything else in the
packages `mshview` and `viewer` may change. Five scripts to start from stand in `docs/examples`.

`mshview run SCRIPT.py PATH...` runs a script with two names: `mshview`, this library, and `inputs`, what
`open` returns for each `PATH`, opened at its first use; `sys.argv` has the paths. This is a whole script, run
as `mshview run count.py "models.rlb::*.msh"`:

    for model in inputs:
        print(model.name, len(model.nodes))

After `pip install` another Python runs a script too, with `import mshview`. The console of the window has
`mshview` and `here`, what the tab in front shows.

`Name` is a text or a path; `Image` is red, green, blue, alpha, (height, width, 4) uint8, top row first.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([START, *block(inspect.getdoc(mshview) or ""), "", *sections()]) + "\n"


def sections() -> Iterator[str]:
    """A section for each public name, functions first."""
    names = [name for name in mshview.__all__ if not name.startswith("_")]
    values = {name: getattr(mshview, name) for name in names}
    for name in sorted(names, key=lambda it: (inspect.isclass(values[it]), it.casefold())):
        value = values[name]
        yield f"## mshview.{name}\n"
        if not inspect.isclass(value):
            yield from code(f"{name}{signature(value)}")
            yield from block(inspect.getdoc(value) or "")
        else:
            yield from block(inspect.getdoc(value) or "")
            yield from members(value)
        yield ""


def members(kind: type) -> Iterator[str]:
    """The public methods and properties that a class defines itself; fields stand in its docstring."""
    bases = [it.__name__ for it in kind.__bases__ if it.__module__.startswith("mshview")]
    if bases:
        yield f"\nAlso has what `{bases[0]}` has."
    for name, member in vars(kind).items():
        is_shown = not name.startswith("_") or name in {"__getitem__"}
        if not is_shown or not inspect.getdoc(member) or kind is mshview.Error:
            continue
        if isinstance(member, property):
            result = str(inspect.signature(member.fget or len).return_annotation).strip("'")
            yield f"\n### {kind.__name__}.{name}: `{result}`\n"
        elif inspect.isfunction(member):
            yield f"\n### {kind.__name__}.{name}\n"
            yield from code(f"{name}{signature(member)}")
        else:
            continue
        yield from block(inspect.getdoc(member) or "")


def signature(function: Any) -> str:
    """The parameters of a function, as they are written, without ``self``."""
    found = inspect.signature(function)
    kept = [it for it in found.parameters.values() if it.name != "self"]
    written = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(found.replace(parameters=kept)))
    return re.sub(r"\b(typing|collections\.abc)\.", "", written).replace(str(str | os.PathLike[str]), "Name")


def code(text: str) -> Iterator[str]:
    """Lines of code."""
    yield from ("```python", text, "```", "")


def block(docstring: str) -> Iterator[str]:
    """A docstring as Markdown: headings of numpy's form are bold, what stands below them is a list."""
    lines = docstring.replace("``", "`").splitlines()
    for number, line in enumerate(lines):
        under = lines[number + 1] if number + 1 < len(lines) else ""
        if set(line) == {"-"}:
            continue
        if under and set(under) == {"-"}:
            yield f"**{line}**\n"
        elif under.startswith("    ") and line and not line.startswith(" "):
            yield f"* `{line}`"
        else:
            yield line
