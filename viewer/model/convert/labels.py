"""Names in exported files: those of things without one, those of a cell, and each only once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, TypeVar

from viewer.model.convert.options import Cell

Key = TypeVar("Key")

_COPY: Final = re.compile(r"\.\d{3,}$")
"""The end that other programs append to the name of a copy."""
_TAKEN: Final = re.compile(r"~(\d+|m\d+|n\d+\.s\d+\.b\d+)$")
"""The end that this program appends to a taken name, and to materials and objects of OBJ files."""
# Rows 0 to 2 and columns 0 to 4: the cells of the slot matrix (spec/msh.md 2).
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
        """A free name that begins like one; `otherwise` is taken instead of an empty one."""
        wanted = "".join(letter if letter.isprintable() else "?" for letter in name).strip() or otherwise
        found = _cut(wanted, LONGEST)
        # The first of a name keeps it, so the second is ~2; where it goes on is kept, as 60,000 nodes
        # of one name would else count from 2 each time.
        number = self._next.get(found, 2)
        base = found
        while found in self._used:
            tail = f"~{number}"
            # The end of the name is replaced by the number: 63 bytes are all that Blender keeps.
            found = _cut(base, LONGEST - len(tail)) + tail
            number += 1
        self._next[base] = number
        self._used.add(found)
        return found


def _cut(text: str, size: int) -> str:
    """The beginning of a text within some bytes, whole letters."""
    # A letter that is cut in its middle goes: of 63 bytes in Cyrillic, two bytes each, 62 stay.
    return text.encode()[:size].decode(errors="ignore")


def without_copy(name: str) -> str:
    """A name without what programs append to that of a copy."""
    return _COPY.sub("", name)


def plain_name(name: str) -> str:
    """A name without what tells it from equal ones."""
    return _TAKEN.sub("", without_copy(name))


def is_same_name(name: str, stored: str, otherwise: str) -> bool:
    """Whether a name in a file is the one that was written for a stored name."""
    plain = without_copy(name)
    # Written "arm", it may come back as "arm", "arm.001" (a copy), or "arm~2" (as it was taken).
    return UniqueNames().add(stored, otherwise) in {name, plain, plain_name(name)}


def originals(items: Iterable[tuple[Key | None, str, str | None, str]]) -> list[bool]:
    """Whether each object is still called as it was written, and is not a copy of another one.

    Parameters
    ----------
    items
        For each object the number that it says it has, its name in the file, the stored name, and what is
        written instead of an empty one.
    """
    listed = [*items]
    is_same = [
        number is not None and stored is not None and is_same_name(name, stored, otherwise)
        for number, name, stored, otherwise in listed
    ]
    first: dict[Key | None, int] = {}
    for at, (number, name, _, _) in enumerate(listed):
        # Of "arm.001" and "arm" with one number "arm" is the original, also if it comes later.
        if is_same[at] and (number not in first or is_copy(listed[first[number]][1]) > is_copy(name)):
            first[number] = at
    return [
        is_same[at] and (first[number] == at or not is_copy(name))
        for at, (number, name, _, _) in enumerate(listed)
    ]


def is_copy(name: str) -> bool:
    """Whether a name is that of a copy."""
    return without_copy(name) != name
