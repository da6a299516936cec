"""Rules of terrains: L01, L03 to L05, L07, L08, L10.

Source: spec/land.md 1, 3, 6.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from viewer.errors import Severity
from viewer.formats.archive.nres import ENTRY
from viewer.formats.findings import Findings, Rule
from viewer.formats.msh import tables
from viewer.formats.msh.slots import SLOT
from viewer.formats.msh.terrain import FACE, NONE
from viewer.model.checks.geometry import SlotMatrices, ranges_beyond, too_many, totals_of
from viewer.model.checks.joined_tables import NO_ROW, Tables, in_some
from viewer.model.checks.rules import Rules
from viewer.model.mesh.draw_builder import TRIANGLE_ALLOWANCE

FACED: Final = Rules[Tables]()
"""Rules of what terrains draw: slots show faces."""
TERRAIN: Final = Rules[Tables]()
"""Rules of terrains."""
# Type 14 may be missing, although one project requires it (spec/land.md 6).
REQUIRED: Final = (
    tables.NODES,
    tables.SLOTS,
    tables.POSITIONS,
    tables.NORMALS,
    tables.UVS,
    tables.DRAW_LIST,
    tables.STREAM18,
    tables.FACES,
)
RETAIL_ORDER: Final = (1, 2, 3, 4, 5, 18, 14, 11, 21)


@FACED.rule
def slot_faces(it: Tables) -> Findings:
    """Slots of terrains with faces that do not exist (L05), and more faces than are drawn (V12)."""
    parts, faces = it.once(SlotMatrices.of), it.counts(tables.FACES)
    listed = np.where(it.has(tables.DRAW_LIST), it.counts(tables.DRAW_LIST), faces)
    rule, words = Rule("L05", SLOT.name, "tri_start"), "{start} + {count} exceeds {total}; clipped"
    has_parts = np.bincount(parts.model, minlength=len(it.models)) > 0  # else all faces are drawn
    yield from ranges_beyond(it, rule, tables.SLOTS, "tri", listed, words, has_parts)
    first, end = it.ranges(tables.SLOTS, "tri", listed)
    shown = totals_of(parts.model, (end - first)[parts.slot], len(it.models))
    yield from too_many("faces", shown, TRIANGLE_ALLOWANCE + listed)


@FACED.rule
def face_vertices(it: Tables) -> Findings:
    """Faces with vertices that do not exist (L03)."""
    vertices, total = it.rows(tables.FACES)["vertices"], it.of_rows(it.counts(tables.POSITIONS), tables.FACES)
    is_over, words = in_some(vertices >= total[:, None]), "{vertices} exceeds {count} vertices"
    rule = Rule("L03", FACE.name, "vertices")
    yield from rule.in_joined(is_over, it.counts(tables.FACES), words, vertices=vertices, count=total)


@TERRAIN.rule
def required_types(it: Tables) -> Findings:
    """Tables that a terrain has (L01)."""
    for type_id in REQUIRED:
        words, name = "no resource of type {type_id} ({name})", tables.TABLES[type_id].name
        yield from Rule("L01", ENTRY.name).of_subjects(~it.has(type_id), words, type_id=type_id, name=name)


@TERRAIN.rule
def order_of_types(it: Tables) -> Findings:
    """The order of the tables in retail files (L08)."""
    orders = [model.archive.rows["type_id"].tolist() for model in it.models]
    expected = [[type_id for type_id in RETAIL_ORDER if type_id in order] for order in orders]
    is_other = np.array([order != usual for order, usual in zip(orders, expected, strict=True)], np.bool_)
    rule, words = (
        Rule("L08", ENTRY.name, severity=Severity.WARNING),
        "types {order}, retail files have {expected}",
    )
    yield from rule.of_subjects(is_other, words, order=orders.__getitem__, expected=expected.__getitem__)


@TERRAIN.rule
def neighbors(it: Tables) -> Findings:
    """Neighbours of faces that do not exist (L04)."""
    neighbors, total = it.rows(tables.FACES)["neighbours"], it.of_rows(it.counts(tables.FACES), tables.FACES)
    is_outside = in_some((neighbors != NONE) & (neighbors >= total[:, None]))
    rule, counts = Rule("L04", FACE.name, "neighbours"), it.counts(tables.FACES)
    words = "{neighbors} of {total} faces"
    yield from rule.in_joined(is_outside, counts, words, neighbors=neighbors, total=total)


@TERRAIN.rule
def tiles(it: Tables) -> Findings:
    """Columns that do not divide the tiles (L07)."""
    entry, count = it.entries[tables.NODES], it.node_counts
    has_entry = entry != NO_ROW
    stated = it.directory.rows["attr2"][np.where(has_entry, entry + it.directory.starts, 0)].astype(np.int64)
    columns = np.where(has_entry, stated, 0)
    # No column at all is wrong by itself; 1 keeps the division from failing on it.
    is_wrong = (columns == 0) | (count % np.maximum(columns, 1) != 0)
    words = "{columns} columns do not divide {tiles} tiles"
    for is_it, field, index in ((has_entry, "attr2", entry), (~has_entry, None, None)):
        rule = Rule("L07", ENTRY.name, field)
        yield from rule.of_subjects(is_wrong & is_it, words, index, columns=columns, tiles=count)


@TERRAIN.rule
def opacities(it: Tables) -> Findings:
    """Opacities that are none (L10)."""
    stored = it.rows(tables.STREAM14)["value"]
    rule = Rule("L10", tables.TABLES[tables.STREAM14].name, "value", Severity.WARNING)
    # Written so that NaN is outside.
    is_outside = ~((stored >= 0) & (stored <= 1))
    words, counts = "opacity {value:g} is not within 0 to 1", it.counts(tables.STREAM14)
    yield from rule.in_joined(is_outside, counts, words, value=stored)
