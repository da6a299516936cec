"""Areal map of a terrain (``Land.map``): polygons on the ground, and a grid that finds them by position.

Source: spec/land.md (polygons and a lookup grid); the layout follows from sample maps.
Status: inferred.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.diagnostics import NAMED_ROWS, Diagnostic
from viewer.errors import Severity
from viewer.formats.findings import Rule
from viewer.formats.layout.layout import Count, Layout
from viewer.formats.layout.lists import Listing, Nested
from viewer.formats.layout.members import Array, Single, tail
from viewer.formats.part import ROOT
from viewer.formats.record import Field, Record, Rows, Status

AREALS = "areals"
MAX_AREALS = 1 << 16
"""Most areals that are read: the grid names them with 16 bits."""
MAX_CELLS = 1 << 20
"""Most cells of a grid that is read; known ones have 128 x 128."""
NOTHING = -1

AREAL = Record(
    "areal",
    56,
    Field("center", "<f4", "Center of the polygon.", (3,)),
    Field("unknown_0x0C", "<u4", "0 in known files.", status=Status.OPEN),
    Field("area", "<f4", "Area of the polygon."),
    Field("normal", "<f4", "Normal of the polygon.", (3,)),
    Field("unknown_0x20", "<u4", "1 in known files.", status=Status.OPEN),
    Field("unknown_0x24", "<u4", "0 in known files.", status=Status.OPEN),
    Field("unknown_0x28", "<u4", "The number of the areal in known files.", status=Status.OPEN),
    Field("unknown_0x2C", "<u4", "0 in known files.", status=Status.OPEN),
    Field("vertex_count", "<u4", "Number of vertices and of edges."),
    Field(
        "unknown_0x34",
        "<u4",
        "0 in known files; what another value adds is unknown.",
        status=Status.OPEN,
        allowed=(0,),
    ),
    doc="A polygon on the ground.",
    status=Status.INFERRED,
)
VERTEX = Record(
    "vertices",
    12,
    Field("position", "<f4", "Corner of the polygon.", (3,), status=Status.INFERRED),
    doc="The corners of the polygon in order.",
)
EDGE = Record(
    "edges",
    8,
    Field("areal", "<i4", "The areal on the other side, -1 = none.", none=NOTHING, refers_to=AREALS),
    Field("edge", "<i4", "The edge of that areal, -1 = none.", none=NOTHING),
    doc="What lies on the other side of each edge.",
    status=Status.INFERRED,
)
GRID = Record(
    "grid",
    8,
    Field("columns", "<u4", "Number of cells along X; 128 in known files."),
    Field("rows", "<u4", "Number of cells along Y; 128 in known files."),
    doc="Size of the lookup grid.",
    status=Status.INFERRED,
)
CELL = Record(
    "cells",
    2,
    Field("word", "<u2", "For each cell the number of its areals, and then these.", status=Status.INFERRED),
    doc="The areals in each cell of the grid.",
)

Words = npt.NDArray[np.uint16]


class Areal(Struct, frozen=True, eq=False):
    """A polygon of a map, with its corners and edges.

    Parameters
    ----------
    header
        One `AREAL` record.
    vertex_rows, edge_rows
        `VERTEX` and `EDGE` records, (n,).
    """

    header: np.void
    vertex_rows: Rows
    edge_rows: Rows


class ArealMap(Struct, frozen=True, eq=False):
    """The whole areals, the grid with its cells if they are whole, and the bytes after them."""

    areals: tuple[Areal, ...]
    grid: np.void | None
    cells: Rows
    tail: bytes
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def words(self) -> Words:
        """The words of the cells, (n,)."""
        return self.cells["word"]

    @property
    def referring(self) -> npt.NDArray[np.int64]:
        """The positions in `words` of areals, without the numbers of areals, (k,)."""
        is_count = np.zeros(len(self.words), np.bool_)
        is_count[_cell_starts(self.words, len(self.words))] = True
        return np.flatnonzero(~is_count)


def _has_grid(left: memoryview, it: Any) -> bool:
    """Whether a whole grid is at the start of some bytes; its number of words is noted for the cells."""
    # Only a walk over all cells tells how many words they have, so it is noted for the member that reads
    # them.
    it.word_count = 0
    if len(left) < GRID.size:
        return False
    header = GRID.read(left)
    # As Python's integers: 65536 x 65536 in 32 bits is 0.
    cells = int(header["columns"]) * int(header["rows"])
    words = CELL.view(left, offset=GRID.size)["word"]
    # A cell has one word at least: a stated grid that is larger than the bytes is refused before the walk.
    if not 0 < cells <= min(MAX_CELLS, len(words)):
        return False
    starts = _cell_starts(words, cells)
    end = starts[-1] + 1 + int(words[starts[-1]])
    is_whole = len(starts) == cells and end <= len(words)
    it.word_count = end if is_whole else 0
    return is_whole


def _cell_starts(words: Words, cells: int) -> list[int]:
    """The position of each cell's number of areals, for at most `cells` cells."""
    starts: list[int] = []
    start, counts = 0, words.data  # a view, whose items are read much faster than those of an array
    for _ignored in range(cells):
        if start >= len(counts):
            break
        starts.append(start)
        # Words 2 7 9 0 1 4 are cells with areals 7 and 9, none, and 4; their counts are at 0, 3, 4.
        start += 1 + counts[start]
    return starts


def _findings(areal_map: ArealMap) -> Iterator[Diagnostic]:
    """A missing grid, and references to areals and edges that do not exist."""
    count = len(areal_map.areals)
    if areal_map.grid is None and not areal_map.diagnostics:
        where = "tail" if areal_map.tail else AREALS if count else ROOT
        yield Rule("AREA01", where).finding("no whole grid after the areals")
    yield from islice(_wrong_edges(areal_map.areals), NAMED_ROWS)
    words, referring = areal_map.words, areal_map.referring
    is_wrong = np.zeros(len(words), np.bool_)
    is_wrong[referring] = words[referring] >= count
    rule = Rule("AREA02", CELL.name, "word", Severity.WARNING)
    yield from rule.in_rows(is_wrong, "{areal} of {count} areals", areal=words, count=count)


def _wrong_edges(areals: tuple[Areal, ...]) -> Iterator[Diagnostic]:
    """The first edge of each areal that leads to an areal or an edge that does not exist."""
    counts = np.array([len(areal.edge_rows) for areal in areals], np.int64)
    for index, areal in enumerate(areals):
        others, edges = areal.edge_rows["areal"], areal.edge_rows["edge"]
        is_known = (others >= 0) & (others < len(areals))
        # The inner choice keeps -1 from picking the last areal, and numbers beyond it from failing.
        most = np.where(is_known, counts[np.where(is_known, others, 0)], 0)
        is_wrong = (others != NOTHING) & ((edges < 0) | (edges >= most))
        if is_wrong.any():
            row = int(is_wrong.argmax())
            rule = Rule("AREA02", f"{AREALS}[{index}].{EDGE.name}", "areal", Severity.WARNING)
            words = "edge {edge} of areal {areal} does not exist"
            yield rule.finding(words, row, edge=int(edges[row]), areal=int(others[row]))


_AREAL = Layout(
    Areal,
    header=Single(AREAL),
    vertex_rows=Array(VERTEX, Count("header", "vertex_count")),
    edge_rows=Array(EDGE, Count("header", "vertex_count")),
)
LAYOUT = Layout(
    ArealMap,
    stated={"count": 0},
    check=_findings,
    areals=Listing(
        AREALS,
        Nested("polygon", _AREAL),
        "Polygons on the ground.",
        lambda it: it.count,
        "AREA01",
        MAX_AREALS,
        is_required=True,
    ),
    grid=Single(GRID, is_optional=True, when=_has_grid),
    cells=Array(CELL, lambda it: it.word_count, is_optional=True),
    tail=tail("Bytes that are not decoded.", "AREA01", Severity.WARNING),
)
decode, encode, parts = LAYOUT.decode, LAYOUT.encode, LAYOUT.parts
