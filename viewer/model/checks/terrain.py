"""Rules L01, L04 and L06 to L08 of terrain.

L02 is checked with the attributes; L03 and L05 are reported when the draws are built.

Source: spec/land.md 6.
"""

from __future__ import annotations

from collections.abc import Iterator

from viewer.errors import Diagnostic, Severity
from viewer.formats.archive.nres import ENTRY
from viewer.formats.findings import findings
from viewer.formats.msh.tables import (
    DRAW_LIST,
    FACES,
    NODES,
    NORMALS,
    POSITIONS,
    SLOTS,
    STREAM18,
    TABLES,
    UVS,
)
from viewer.formats.msh.terrain import FACE, NONE
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model
from viewer.translation import Sentence

REQUIRED = (NODES, SLOTS, POSITIONS, NORMALS, UVS, DRAW_LIST, STREAM18, FACES)
RETAIL_ORDER = (1, 2, 3, 4, 5, 18, 14, 11, 21)


def check(model: Model, draws: Draws) -> list[Diagnostic]:
    """Diagnostics of a terrain, including those of clipped draws."""
    return [*draws.diagnostics, *_types(model), *_neighbours(model), *_tiles(model)]


def _types(model: Model) -> Iterator[Diagnostic]:
    for type_id in REQUIRED:
        if not model.has(type_id):
            message = Sentence(
                "no resource of type {type_id} ({name})", type_id=type_id, name=TABLES[type_id].name
            )
            yield Diagnostic("L01", Severity.ERROR, message, ENTRY.name)
    order = tuple(entry.type_id for entry in model.archive.entries)
    expected = tuple(type_id for type_id in RETAIL_ORDER if type_id in order)
    if order != expected:
        message = Sentence(
            "types {order}, retail files have {expected}", order=list(order), expected=list(expected)
        )
        yield Diagnostic("L08", Severity.WARNING, message, ENTRY.name)


def _neighbours(model: Model) -> list[Diagnostic]:
    neighbours = model.faces["neighbours"]
    total = len(neighbours)
    return findings(
        "L04",
        Severity.ERROR,
        FACE.name,
        ((neighbours != NONE) & (neighbours >= total)).any(axis=1),
        lambda row: Sentence("{neighbors} of {total} faces", neighbors=neighbours[row].tolist(), total=total),
        "neighbours",
    )


def _tiles(model: Model) -> Iterator[Diagnostic]:
    index = model.archive.find_type(NODES)
    columns = 0 if index is None else model.archive.entries[index].attr2
    if columns == 0 or model.record_count % columns:
        message = Sentence(
            "{columns} columns do not divide {tiles} tiles", columns=columns, tiles=model.record_count
        )
        field = None if index is None else "attr2"
        yield Diagnostic("L07", Severity.ERROR, message, ENTRY.name, index, field)
