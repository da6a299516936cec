"""Rows of control points and of node damage."""

from __future__ import annotations

from typing import Final

from viewer.formats.neighbors.control_points import HEADER, NAME, POINT
from viewer.formats.neighbors.damage import NODE_DAMAGE
from viewer.formats.part import Part
from viewer.formats.splice import Splices
from viewer.model.edit.draft import Draft
from viewer.model.edit.rows.arrangement import Arrangement, NewRow, arranged, counted, joined, zeros

INDESTRUCTIBLE: Final = 1_000_000
"""Hit points of a new node, which most nodes have."""


def arrange_points(draft: Draft, _: str, arrangement: Arrangement) -> Splices:
    """The splices of control points, whose names are a table of their own."""
    tables = [arranged(draft, draft.part(name), arrangement, zeros) for name in (POINT.name, NAME.name)]
    return joined(counted(draft, HEADER.name, "count", arrangement.growth), *tables)


def new_damage(_: Draft, __: Part, ___: NewRow) -> bytes:
    """The damage of a node that cannot be destroyed."""
    rows = NODE_DAMAGE.new()
    rows["hit_points"] = INDESTRUCTIBLE
    return rows.tobytes()
