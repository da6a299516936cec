"""Names in exported files: those of things without one, those of a cell, and each only once."""

from __future__ import annotations

import re
from typing import Final

from viewer.model.convert.scene import Cell

_OF_CELL: Final = re.compile(r"(.+) LOD ([0-2]) group ([0-4])(?:~\d+)?(?:\.\d{3,})?")


LONGEST: Final = 63
"""Most bytes of a name in Blender, UTF-8."""


def numbered(what: str, number: int) -> str:
    """The name of the thing with a number."""
    return f"{what} {number}"


def of_cell(name: str, cell: Cell) -> str:
    """The name of something as it is in a cell."""
    return f"{name} LOD {cell[0]} group {cell[1]}"


def cell_in(name: str) -> tuple[str, Cell] | None:
    """The name and the cell of something that `of_cell` named, also with a number that programs append."""
    found = _OF_CELL.fullmatch(name)
    return None if found is None else (found[1], (int(found[2]), int(found[3])))


class UniqueNames:
    """The names of one kind of object, each used once and short enough for Blender."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._next: dict[str, int] = {}

    def add(self, name: str, otherwise: str) -> str:
        """Take a name, or one that begins like it; `otherwise` is taken instead of an empty one."""
        wanted = "".join(letter if letter.isprintable() else "?" for letter in name).strip() or otherwise
        found = _cut(wanted, LONGEST)
        number = self._next.get(found, 2)
        base = found
        while found in self._used:
            tail = f"~{number}"
            found = _cut(base, LONGEST - len(tail)) + tail
            number += 1
        self._next[base] = number
        self._used.add(found)
        return found


def _cut(text: str, size: int) -> str:
    """The beginning of a text within some bytes, whole letters."""
    return text.encode()[:size].decode(errors="ignore")
