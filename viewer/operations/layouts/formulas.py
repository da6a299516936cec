"""Formulas of counts, sizes and conditions that layouts have as functions, and their text in other languages.

A formula is an expression of Python. Its names are the members before it (``header.count``), what the payload
is decoded with (``version``), ``left``, the bytes from here to the end, ``word``, the first four of these as
a number, and ``index`` in a list. ``has_name`` is whether an optional member is there.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Final

from msgspec import Struct, field

from viewer.operations.layouts.words import safe

LEFT: Final = "left"
WORD: Final = "word"
INDEX: Final = "index"
HAS: Final = "has_"

_TEXEL: Final = "1 if header.pixel_format in (0, 2) else 4 if header.pixel_format in (888, 8888) else 2"
_SIDES: Final = " * ".join(
    f"(header.{it} >> index if header.{it} >> index > 0 else 1)" for it in ("width", "height")
)
FORMULAS: Final[Mapping[tuple[str, str, str], str]] = {
    (
        "MaterialRecord",
        "header",
        "size",
    ): "4 if version < 2 else 6 if version == 2 else 10 if version == 3 else 14",
    ("PathGraph", "nodes", "count"): "node_count",
    ("PathGraph", "links", "count"): "link_count",
    ("RecordTable", "rows", "count"): "",
    ("Strings", "rows", "count"): "count",
    ("ArealMap", "areals", "count"): "count",
    # The program also counts the words of all cells, and takes a grid that does not fit for bytes at the end.
    ("ArealMap", "grid", "when"): "left >= whole",
    ("ArealMap", "cells", "count"): "",
    ("Ring", "triangle_rows", "count"): "header.count",
    ("Ring", "corner_rows", "count"): "header.count",
    ("GroundPlan", "outer_count", "when"): "left >= whole",
    ("Keyframe", "effect_count", "when"): "header.version != 2",
    ("Keyframe", "effect_rows", "count"): "effect_count.count",
    ("Sky", "start", "when"): "left >= whole",
    ("Palette", "blend_header", "when"): "left >= 65540 and word == 0x6C6F7049",
    ("Palette", "blend_table", "size"): "65536",
    ("Texture", "colors", "count"): "256 if header.pixel_format == 0 and left >= 1024 else 0",
    ("Texture", "levels", "size"): f"({_TEXEL}) * {_SIDES}",
    ("Texture", "levels", "count"): "header.mip_count",
}
"""Formulas by the class of the value, the attribute, and what of it they say; empty for all that fit."""
OWNERS: Final[Mapping[tuple[str, str], str]] = {
    ("Keyframe", "effect_rows"): "effect_count",
    ("GroundPlan", "outer"): "outer_count",
    ("Palette", "blend_table"): "blend_header",
    ("Texture", "pages"): "page_header",
    ("ArealMap", "cells"): "grid",
}
"""The optional members without which others are absent."""


class Dialect(Struct, frozen=True):
    """The spelling of formulas in a language.

    Attributes
    ----------
    names
        The names that it calls otherwise.
    both, either
        Its words for and and or.
    before
        What it writes before members, such as ``parent.``.
    numbers
        Fields of members that are enumerations there, and what follows their names to get the number.
    members
        The names of members.
    """

    names: Mapping[str, str]
    both: str
    either: str
    before: str = ""
    numbers: Mapping[str, str] = field(default_factory=dict)
    members: frozenset[str] = frozenset()

    def text(self, formula: str) -> str:
        """A formula in the language."""
        return self._of(ast.parse(formula, mode="eval").body)

    def _of(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(int() as number):
                found = str(number)
            case ast.Name(name):
                found = self._name(name)
            case ast.Attribute(ast.Name(owner), name):
                number_of = self.numbers.get(f"{owner}.{name}", "")
                found = f"{self._name(owner)}.{safe(name)}{number_of}"
            case ast.IfExp(test, body, orelse):
                found = f"({self._of(test)} ? {self._of(body)} : {self._of(orelse)})"
            case ast.BoolOp(operator, values):
                word = self.both if isinstance(operator, ast.And) else self.either
                found = "(" + f" {word} ".join(map(self._of, values)) + ")"
            case ast.BinOp(left, operator, right):
                found = f"({self._of(left)} {_SIGNS[type(operator)]} {self._of(right)})"
            case ast.Compare(left, [ast.In()], [ast.Tuple(items)]):
                found = (
                    "(" + f" {self.either} ".join(f"{self._of(left)} == {self._of(it)}" for it in items) + ")"
                )
            case ast.Compare(left, [operator], [right]):
                found = f"({self._of(left)} {_COMPARED[type(operator)]} {self._of(right)})"
            case _:
                raise ValueError(ast.dump(node))
        return found

    def _name(self, name: str) -> str:
        if name in self.names:
            return self.names[name]
        return f"{self.before}{safe(name)}" if name in self.members or name.startswith(HAS) else safe(name)


_SIGNS: Final[Mapping[type[ast.operator], str]] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.RShift: ">>", ast.BitAnd: "&",
}  # fmt: skip
_COMPARED: Final[Mapping[type[ast.cmpop], str]] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
