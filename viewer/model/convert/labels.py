"""Names in exported files for what has none, or none of its own."""

from __future__ import annotations

import re
from typing import Final

from viewer.model.convert.scene import Cell

_OF_CELL: Final = re.compile(r"(.+) LOD ([0-2]) group ([0-4])(?:~\d+)?(?:\.\d{3,})?")


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
