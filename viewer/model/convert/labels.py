"""Names in exported files for what has none, or none of its own."""

from __future__ import annotations

from viewer.model.convert.scene import Cell


def numbered(what: str, number: int) -> str:
    """The name of the thing with a number."""
    return f"{what} {number}"


def of_cell(name: str, cell: Cell) -> str:
    """The name of something as it is in a cell."""
    return f"{name} LOD {cell[0]} group {cell[1]}"
