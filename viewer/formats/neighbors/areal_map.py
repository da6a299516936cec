"""Areal map of a terrain (``Land.map``): polygons on the ground, and a grid that finds them by position.

Source: spec/land.md (polygons and a lookup grid); the layout follows from sample maps.
Status: inferred.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate, islice

import numpy as np
import numpy.typing as npt

from viewer.errors import NAMED_ROWS, Diagnostic, FormatError, Severity
from viewer.formats.findings import findings
from viewer.formats.part import ROOT, Part, group, listing, raw, single, table
from viewer.formats.record import Bytes, Field, Record, Rows, Status
from viewer.translation import Sentence

AREALS = "areals"
TAIL = "tail"
MAX_AREALS = 1 << 16
"""Most areals that are read: the grid names them with 16 bits."""
MAX_CELLS = 1 << 20
"""Most cells of a grid that is read; known ones have 128 x 128."""
NOTHING = -1

AREAL = Record(
    "areal",
    56,
    Field("center", "<f4", "Center of the polygon.", (3,), status=Status.INFERRED),
    Field("unknown_0x0C", "<u4", "0 in known files.", status=Status.OPEN),
    Field("area", "<f4", "Area of the polygon.", status=Status.INFERRED),
    Field("normal", "<f4", "Normal of the polygon.", (3,), status=Status.INFERRED),
    Field("unknown_0x20", "<u4", "1 in known files.", status=Status.OPEN),
    Field("unknown_0x24", "<u4", "0 in known files.", status=Status.OPEN),
    Field("unknown_0x28", "<u4", "The number of the areal in known files.", status=Status.OPEN),
    Field("unknown_0x2C", "<u4", "0 in known files.", status=Status.OPEN),
    Field("vertex_count", "<u4", "Number of vertices and of edges.", status=Status.INFERRED),
    Field("unknown_0x34", "<u4", "0 in known files; what another value adds is unknown.", status=Status.OPEN),
    doc="A polygon on the ground.",
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
    Field(
        "areal", "<i4", "The areal on the other side, -1 = none.", none=NOTHING, refers_to=AREALS,
        status=Status.INFERRED,
    ),
    Field("edge", "<i4", "The edge of that areal, -1 = none.", none=NOTHING, status=Status.INFERRED),
    doc="What lies on the other side of each edge.",
)  # fmt: skip
GRID = Record(
    "grid",
    8,
    Field("columns", "<u4", "Number of cells along X; 128 in known files.", status=Status.INFERRED),
    Field("rows", "<u4", "Number of cells along Y; 128 in known files.", status=Status.INFERRED),
    doc="Size of the lookup grid.",
)
CELL = Record(
    "cells",
    2,
    Field("word", "<u2", "For each cell the number of its areals, and then these.", status=Status.INFERRED),
    doc="The areals in each cell of the grid.",
)

Words = npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class Areal:
    """One polygon.

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

    @property
    def size(self) -> int:
        """Size of the areal, bytes."""
        return AREAL.size + self.vertex_rows.nbytes + self.edge_rows.nbytes


@dataclass(frozen=True, slots=True)
class Grid:
    """The lookup grid: one `GRID` record, and `CELL` records, (n,)."""

    header: np.void
    cell_rows: Rows

    @property
    def size(self) -> int:
        """Size of the grid, bytes."""
        return GRID.size + self.cell_rows.nbytes

    @property
    def areals(self) -> npt.NDArray[np.int64]:
        """The positions in `cell_rows` of the areals, without their numbers, (k,)."""
        words = self.cell_rows["word"]
        is_count = np.zeros(len(words), np.bool_)
        is_count[_cell_starts(words, len(words))] = True
        return np.flatnonzero(~is_count)


@dataclass(frozen=True, slots=True)
class ArealMap:
    """The whole areals, the grid if it is whole, and the bytes after them."""

    areals: tuple[Areal, ...]
    grid: Grid | None
    tail: bytes
    diagnostics: tuple[Diagnostic, ...] = field(default=(), compare=False)


def decode(data: Bytes, count: int = 0) -> ArealMap:
    """Read `count` areals and the grid; raises `FormatError` if not even the first areal is whole."""
    data = memoryview(data).cast("B")
    areals = tuple(_areals(data, min(count, MAX_AREALS)))
    start = sum(areal.size for areal in areals)
    if count and not areals:
        message = Sentence("no whole areal in {size} bytes", size=len(data))
        raise FormatError(message, table=AREALS, index=0, rule="AREA01")
    grid = _read_grid(data, start) if len(areals) == count else None
    tail = bytes(data[start + (grid.size if grid else 0) :])
    found = (*_damage(len(areals), count, grid, tail), *_beyond(areals, grid))
    return ArealMap(areals, grid, tail, found)


def encode(areal_map: ArealMap) -> bytes:
    """The payload."""
    pieces: list[bytes] = []
    for areal in areal_map.areals:
        pieces += (areal.header.tobytes(), areal.vertex_rows.tobytes(), areal.edge_rows.tobytes())
    if areal_map.grid is not None:
        pieces += (areal_map.grid.header.tobytes(), areal_map.grid.cell_rows.tobytes())
    return b"".join((*pieces, areal_map.tail))


def parts(areal_map: ArealMap) -> Part:
    """Return the tree of parts."""
    sizes = [areal.size for areal in areal_map.areals]
    starts = accumulate(sizes, initial=0)
    areals = [_areal_part(areal, start) for areal, start in zip(areal_map.areals, starts, strict=False)]
    found = [listing(AREALS, areals, 0, "Polygons on the ground.")]
    if areal_map.grid is not None:
        found.append(single(GRID, areal_map.grid.header, found[-1].end))
        found.append(table(CELL, areal_map.grid.cell_rows, found[-1].end))
    return group((*found, raw(TAIL, areal_map.tail, found[-1].end, "Bytes that are not decoded.")))


def _areal_part(areal: Areal, start: int) -> Part:
    header = single(AREAL, areal.header, start)
    vertices = table(VERTEX, areal.vertex_rows, header.end)
    edges = table(EDGE, areal.edge_rows, vertices.end)
    return group((header, vertices, edges), "polygon", start)


def _areals(data: memoryview, count: int) -> Iterator[Areal]:
    """The whole areals of a known layout, at most `count`."""
    start = 0
    for _ in range(count):
        vertices = start + AREAL.size
        if vertices > len(data):
            return
        header = AREAL.view(data, offset=start, count=1)[0]
        corners = int(header["vertex_count"])
        edges = vertices + corners * VERTEX.size
        if header["unknown_0x34"] or edges + corners * EDGE.size > len(data):
            return
        yield Areal(
            header,
            VERTEX.view(data, offset=vertices, count=corners),
            EDGE.view(data, offset=edges, count=corners),
        )
        start = edges + corners * EDGE.size


def _read_grid(data: memoryview, start: int) -> Grid | None:
    """Return the grid at `start`, or None if it is not whole."""
    if start + GRID.size > len(data):
        return None
    header = GRID.view(data, offset=start, count=1)[0]
    cells = int(header["columns"]) * int(header["rows"])
    words = CELL.view(data, offset=start + GRID.size)
    if not 0 < cells <= min(MAX_CELLS, len(words)):
        return None
    starts = _cell_starts(words["word"], cells)
    end = starts[-1] + 1 + int(words["word"][starts[-1]]) if len(starts) == cells else len(words) + 1
    return Grid(header, words[:end]) if end <= len(words) else None


def _cell_starts(words: Words, cells: int) -> list[int]:
    """The position of each cell's number of areals, for at most `cells` cells."""
    starts: list[int] = []
    start = 0
    while start < len(words) and len(starts) < cells:
        starts.append(start)
        start += 1 + words.item(start)
    return starts


def _damage(found: int, count: int, grid: Grid | None, tail: bytes) -> Iterator[Diagnostic]:
    """What could not be read."""
    if found < count:
        message = Sentence("{count} areals stated, {found} are read", count=count, found=found)
        yield Diagnostic("AREA01", Severity.ERROR, message, AREALS, found)
    elif grid is None:
        where = TAIL if tail else AREALS if found else ROOT
        yield Diagnostic("AREA01", Severity.ERROR, Sentence("no whole grid after the areals"), where)
    elif tail:
        message = Sentence("{size} bytes after the grid", size=len(tail))
        yield Diagnostic("AREA01", Severity.WARNING, message, TAIL)


def _beyond(areals: tuple[Areal, ...], grid: Grid | None) -> Iterator[Diagnostic]:
    """References to areals and edges that do not exist."""
    yield from islice(_wrong_edges(areals), NAMED_ROWS)
    if grid is not None:
        words = grid.cell_rows["word"]
        is_wrong = np.zeros(len(words), np.bool_)
        is_wrong[grid.areals] = words[grid.areals] >= len(areals)
        yield from findings(
            "AREA02",
            Severity.WARNING,
            CELL.name,
            is_wrong,
            lambda row: Sentence("{areal} of {count} areals", areal=int(words[row]), count=len(areals)),
            "word",
        )


def _wrong_edges(areals: tuple[Areal, ...]) -> Iterator[Diagnostic]:
    """The first edge of each areal that leads to an areal or an edge that does not exist."""
    counts = np.array([len(areal.edge_rows) for areal in areals], np.int64)
    for index, areal in enumerate(areals):
        others, edges = areal.edge_rows["areal"], areal.edge_rows["edge"]
        is_known = (others >= 0) & (others < len(areals))
        most = np.where(is_known, counts[np.where(is_known, others, 0)], 0)
        is_wrong = (others != NOTHING) & ((edges < 0) | (edges >= most))
        if is_wrong.any():
            row = int(is_wrong.argmax())
            message = Sentence(
                "edge {edge} of areal {areal} does not exist", edge=int(edges[row]), areal=int(others[row])
            )
            edges_of = f"{AREALS}[{index}].{EDGE.name}"
            yield Diagnostic("AREA02", Severity.WARNING, message, edges_of, row, "areal")
