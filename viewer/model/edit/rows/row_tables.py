"""Which tables have rows that can be added, removed and moved, and how."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from viewer.formats.part import Part
from viewer.model.edit.draft import Draft
from viewer.model.edit.rows import (
    commands,
    controllers,
    materials,
    model_rows,
    nested_rows,
    palettes,
    records,
    texture_pages,
    wear_lines,
)
from viewer.model.edit.rows.arrangement import Arranger, plain_table
from viewer.translation import Sentence


def _itself(_: Draft, __: Part, row: int) -> Iterable[int]:
    return (row,)


@dataclass(frozen=True, slots=True)
class RowTable:
    """What can be done with the rows of a table.

    Parameters
    ----------
    arrange
        The splices that rearrange the rows.
    can_grow
        Whether rows can be added and removed; else they can only be moved.
    extent
        The rows that belong to a row, itself included.
    records
        Names of the records that a new row may have, if there are several.
    """

    arrange: Arranger
    can_grow: bool = True
    extent: Callable[[Draft, Part, int], Iterable[int]] = _itself
    records: tuple[str, ...] = ()


TABLES: Final[Mapping[tuple[str, str], RowTable]] = {
    ("wear", "materials"): RowTable(wear_lines.arrange_materials),
    ("wear", "lightmaps"): RowTable(wear_lines.arrange_lightmaps),
    ("mat0", "phases"): RowTable(materials.arrange_phases),
    ("mat0", "blocks"): RowTable(materials.arrange_blocks),
    ("mat0", "blocks[].keys"): RowTable(plain_table("header", "key_count")),
    ("fxid", "commands"): RowTable(commands.arrange, records=commands.RECORDS),
    ("control", "states"): RowTable(controllers.arrange_states),
    ("control", "channels"): RowTable(plain_table("counts", "channels", controllers.new_channel)),
    ("control_points", "points"): RowTable(records.arrange_points),
    ("control_points", "names"): RowTable(records.arrange_points),
    ("damage", "nodes"): RowTable(plain_table("header", "count", records.new_damage)),
    ("objects", "references"): RowTable(plain_table()),
    ("units", "components"): RowTable(nested_rows.arrange_components, extent=nested_rows.with_children),
    ("ground_plan", "rings"): RowTable(nested_rows.arrange_rings),
    ("ground_plan", "rings[].points"): RowTable(nested_rows.arrange_ring_points),
    ("texm", "pages"): RowTable(texture_pages.arrange),
    ("texm", "palette"): RowTable(palettes.arrange_own, can_grow=False),
    ("palette", "colors"): RowTable(plain_table(), can_grow=False),
    **{("msh", name): RowTable(arrange) for name, arrange in model_rows.ARRANGERS.items()},
}
"""By the id of the kind and the path of the table without numbers."""

REASONS: Final[Mapping[tuple[str, str], str]] = {
    ("control", "costs"): Sentence("its rows and columns follow the states"),
    ("ground_plan", "rings[].triangles"): Sentence("its rows follow the points of the ring"),
    ("ground_plan", "rings[].corners"): Sentence("its rows follow the points of the ring"),
    ("areal_map", "areals"): Sentence("the number of areals is stored in the archive's directory"),
    ("texm", "levels"): Sentence("the levels follow from size and number in the header"),
}
"""Why the rows of other tables cannot be changed."""


def of(kind: str, path: str) -> RowTable | str:
    """Return what can be done with the rows of a table of a kind, or why nothing can."""
    key = (kind, re.sub(r"\[\d+\]", "[]", path))
    found = TABLES.get(key)
    return found or REASONS.get(key) or Sentence("its rows cannot be added, removed or moved")
