"""The page of the changes of ``edit``, made of their classes, each with an example that a test makes."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Mapping
from textwrap import dedent
from typing import Any, Final

from msgspec import NODEFAULT
from msgspec.structs import FieldInfo

from docs.make.commands import cell
from viewer.model.edit import script
from viewer.model.edit.change import Change
from viewer.typed_json import fields_of

START: Final = """\
# The changes of a file

Made by `make pages` of the classes with which the program changes files. A change is a JSON object: `do`
names it, the other keys are its fields; those with a default can be left out. In the shell

    mshview edit models.rlb::walker.msh --do '{"do": "rename-node", "node": "eye", "name": "lamp"}' --in-place
    mshview edit models.rlb::walker.msh --script changes.json --in-place

make one, or a list of them; in Python

    model.edit({"do": "rename-node", "node": "eye", "name": "lamp"})

What follows from a change, such as bounds, sort indices, or the numbers of nodes in the files next to a
model, is changed too; `--without` and `--with` of `edit` choose it. Nodes are numbers or names, rows a
number, a list of numbers, a range `2:8`, `*` or a condition such as `index_count>300`; entries are names, or
`#` and their number. Bytes are hexadecimal, in Python `bytes` too. The examples are for the sample game, in
`assets/game`.
"""
PARAMETERS: Final = "Parameters\n    ----------\n"
WALKER: Final = "models.rlb::walker.msh"
SIGN: Final = "models.rlb::s_sign.msh"
ARCHIVE: Final = "models.rlb"
CONTROL: Final = "models.rlb::walker.ctl"
WEAR: Final = "models.rlb::walker.wea"
POINTS: Final = "models.rlb::walker.cpt"
EFFECT: Final = "effects.rlb::blast"
TEXTURE: Final = "Textures.lib::METAL.0"
UNIT: Final = "UNITS/UNITS/SAMPLE/walker.dat"
TURN: Final = [0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]
EXAMPLES: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "set": (WALKER, {"table": "batches", "rows": "index_count>300", "field": "flags", "value": 9}),
    "set-bytes": (WALKER, {"offset": 20, "payload": "07"}),
    "replace-rows": (SIGN, {"table": "positions", "rows": "0", "field": "position", "data": "0000803f" * 3}),
    "add-rows": (POINTS, {"table": "points", "before": 0, "like": 1}),
    "remove-rows": (POINTS, {"table": "points", "rows": [2]}),
    "move-rows": (POINTS, {"table": "points", "rows": "0:2"}),
    "rename-node": (WALKER, {"node": "eye", "name": "lamp"}),
    "label-node": (WALKER, {"node": "eye", "takes": "e_gun_"}),
    "add-node": (WALKER, {"name": "lamp", "parent": "eye"}),
    "remove-node": (WALKER, {"node": "eye", "with_children": True, "clears_references": True}),
    "reorder-nodes": (WALKER, {"order": [*range(37), 38, 37]}),
    "parent": (WALKER, {"node": "eye", "parent": 0, "keeps_pose": True, "reorders": True}),
    "cell": (WALKER, {"node": "eye", "lod": 0, "group": 1, "slot": 0}),
    "place": (WALKER, {"node": "eye", "offset": [0.0, 0.25, 0.0]}),
    "move": (WALKER, {"node": 5, "by": [0.0, 0.0, 0.5]}),
    "transform": (WALKER, {"node": 5, "matrix": TURN}),
    "move-vertices": (SIGN, {"rows": "0:4", "by": [0.0, 0.0, 0.5]}),
    "transform-vertices": (SIGN, {"rows": "*", "matrix": TURN}),
    "flip": (SIGN, {"triangles": [0, 1]}),
    "remove-triangles": (SIGN, {"triangles": [0, 1]}),
    "remove-unused-vertices": (SIGN, {}),
    "add-slot": (SIGN, {}),
    "copy-slot": (SIGN, {"slot": 0, "has_own_geometry": True}),
    "remove-slot": (SIGN, {"slot": 0}),
    "material": (WALKER, {"rows": [0, 1], "material": 2}),
    "replace-material": (WALKER, {"material": 0, "by": 1}),
    "recompute": (SIGN, {"what": "normals"}),
    "replace-slots": (SIGN, {"slots": [{"slot": 0, "batches": []}]}),
    "key": (WALKER, {"node": 5, "index": 0, "position": [0.0, 0.0, 0.5]}),
    "add-key": (WALKER, {"node": 5, "time": 1.0}),
    "move-keys": (WALKER, {"node": 5, "indices": [1], "times": [2.0]}),
    "remove-key": (WALKER, {"node": 5, "index": 1}),
    "animate": (WALKER, {"node": 5, "is_animated": False}),
    "replace-track": (WALKER, {"node": 5, "keys": "00" * 18 + "ff7f" + "0000" * 2}),
    "retime": (WALKER, {"start": 0.0, "end": 10.0, "to_start": 0.0, "to_end": 20.0, "moves_later": True}),
    "frame-count": (WALKER, {"count": 120}),
    "rebuild-frame-map": (WALKER, {"nodes": [5], "frame_count": 110}),
    "follow-nodes": (CONTROL, {"count": 39, "order": [*range(12), 13, 12, *range(14, 39)]}),
    "follow-frames": (CONTROL, {"start": 0.0, "end": 100.0, "to_start": 0.0, "to_end": 200.0}),
    "follow-durations": (CONTROL, {"start": 0.0, "end": 100.0, "to_start": 0.0, "to_end": 200.0}),
    "follow-wear": (WALKER, {"count": 3, "order": [1, 0, 2]}),
    "add-material": ("Material.lib", {"name": "RUST"}),
    "add-effect": ("effects.rlb", {"kind": "smoke", "name": "haze"}),
    "add-entry": (ARCHIVE, {"name": "notes.txt", "payload": b"by hand".hex()}),
    "remove-entry": (ARCHIVE, {"entry": "s_sign.wea"}),
    "replace-entry": (ARCHIVE, {"entry": "#3", "payload": "00" * 820}),
    "duplicate-entry": (ARCHIVE, {"entry": "s_sign.msh", "name": "s_post.msh"}),
    "rename-entry": (ARCHIVE, {"entry": "s_sign.msh", "name": "s_post.msh"}),
    "describe-entry": (ARCHIVE, {"entry": "walker.ndp", "attr2": 1}),
    "move-entry": (ARCHIVE, {"entry": "s_sign.msh", "row": 0}),
    "reorder-entries": ("guns.rlb", {"order": [4, 3, 2, 1, 0]}),
    "recompute-sort-indices": (ARCHIVE, {}),
    "replace-texture": (TEXTURE, {"width": 1, "height": 1, "rgba": "ff8000ff"}),
    "attach-component": (UNIT, {"component": 2, "parent": 0}),
    "repair": (SIGN, {"fault": "bounds"}),
}
"""An address in the sample game and the fields, by the name of the change, in the order of the page."""
FIRST: Final[Mapping[str, Mapping[str, Any]]] = {
    "remove-unused-vertices": {"do": "remove-triangles", "triangles": [*range(12)]},
    "recompute": {"do": "set", "table": "normals", "rows": "0", "field": "normal", "value": [0, 0, 0, 0]},
    "recompute-sort-indices": {
        "do": "set",
        "table": "directory",
        "rows": "0",
        "field": "sort_index",
        "value": 1,
    },
    "repair": {"do": "set", "table": "slots", "rows": "0", "field": "sphere_radius", "value": 0.01},
}
"""Changes that break something before the examples that repair it."""


def page() -> str:
    """The whole page."""
    return "\n".join([START, *(line for name in EXAMPLES for line in section(name))])


def form_of(name: str) -> dict[str, Any]:
    """The example of a change."""
    return {"do": name, **EXAMPLES[name][1]}


def section(name: str) -> Iterator[str]:
    """A change: what it does, its fields, its example with the name of its undo step."""
    kind = script.CHANGES[name]
    first, _separator, about = inspect.cleandoc((kind.__doc__ or "").partition(PARAMETERS)[0]).partition("\n")
    yield f"## {name}\n\n{plain(first)}\n"
    if about.strip():
        yield f"{plain(about.strip())}\n"
    rows = [*field_rows(kind)]
    if rows:
        yield "| field | default | |\n|---|---|---|"
        yield from rows
        yield ""
    (change,) = script.parse([form_of(name)])
    before = f", after `{json.dumps(FIRST[name])}`" if name in FIRST else ""
    yield f"`{EXAMPLES[name][0]}`{before}, {change.words}:\n"
    yield f"    {json.dumps(form_of(name))}\n"


def field_rows(kind: Any) -> Iterator[str]:
    """A row of a table for each field."""
    texts = descriptions(kind)
    for it in fields_of(kind).values():
        yield f"| `{it.name}` | {default(it)} | {cell(plain(texts.get(it.name, '')))} |"


def descriptions(kind: type[Change]) -> dict[str, str]:
    """The text of each parameter of a class and its bases; parameters of one line share it."""
    found: dict[str, str] = {}
    names: list[str] = []
    described = (dedent((it.__doc__ or "").partition(PARAMETERS)[2]) for it in kind.__mro__)
    for line in "\n".join(described).splitlines():
        if line and not line.startswith(" "):
            names = line.split(", ")
        for name in names if line.startswith(" ") else ():
            found[name] = f"{found.get(name, '')} {line.strip()}".strip()
    return found


def default(field: FieldInfo) -> str:
    """The default of a field as JSON; empty for one that is needed."""
    value = field.default
    if value is NODEFAULT:
        return ""
    return f"`{json.dumps(value.hex() if isinstance(value, bytes) else value)}`"


def plain(text: str) -> str:
    """A docstring as Markdown on one line."""
    return re.sub(r"\bNone\b", "null", re.sub(r"\s+", " ", text.replace("``", "`")))
