"""Ground plan of a building (``.bas``): closed rings on the ground, the first linked to triangles.

Source: spec/field-notes.md 5.
Status: inferred.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from viewer.errors import Diagnostic, FormatError, Severity
from viewer.formats.part import Part, group, listing, raw, single, table
from viewer.formats.record import Bytes, Field, Record, Rows, Status
from viewer.translation import Sentence

RINGS = "rings"
MAX_RINGS = 4096
"""Most rings that are read; known files have two."""

HEADER = Record(
    "header",
    8,
    Field("mark", "<i4", "1 in known files.", status=Status.OPEN),
    Field("count", "<i4", "Number of edges; the number of points is one more.", status=Status.INFERRED),
    doc="Size of the ring.",
)
POINT = Record(
    "points",
    12,
    Field("position", "<f4", "Corner of the ring.", (3,), status=Status.INFERRED),
    doc="The corners of the ring; the last repeats the first.",
)
TRIANGLE = Record(
    "triangles",
    4,
    Field("triangle", "<i4", "Triangle at the edge.", status=Status.INFERRED),
    doc="The triangle at each edge of the first ring.",
)
CORNER = Record(
    "corners",
    4,
    Field("corner", "<i4", "Corner of that triangle.", status=Status.INFERRED),
    doc="The corner of the triangle at each edge of the first ring.",
)
_TIE_SIZE = TRIANGLE.size + CORNER.size

Words = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Ring:
    """One ring; its last point repeats the first.

    Parameters
    ----------
    header
        One `HEADER` record.
    point_rows
        `POINT` records, (n + 1,).
    triangle_rows, corner_rows
        `TRIANGLE` and `CORNER` records, (n,), one per edge; empty for all rings except the first.
    """

    header: np.void
    point_rows: Rows
    triangle_rows: Rows
    corner_rows: Rows

    @property
    def mark(self) -> int:
        """The word before the count, 1 in known files."""
        return int(self.header["mark"])

    @property
    def points(self) -> npt.NDArray[np.float32]:
        """Corners of the ring, (n + 1, 3) float32."""
        return self.point_rows["position"]

    @property
    def triangles(self) -> Words:
        """The triangle of each edge, (n,) int32; empty for all rings except the first."""
        return self.triangle_rows["triangle"]

    @property
    def corners(self) -> Words:
        """The corner of that triangle, (n,) int32; empty for all rings except the first."""
        return self.corner_rows["corner"]

    @property
    def size(self) -> int:
        """Size of the ring, bytes."""
        ties = self.triangle_rows.nbytes + self.corner_rows.nbytes
        return HEADER.size + self.point_rows.nbytes + ties

    def encode(self) -> bytes:
        """The bytes of the ring."""
        arrays = (self.header, self.point_rows, self.triangle_rows, self.corner_rows)
        return b"".join(array.tobytes() for array in arrays)


@dataclass(frozen=True, slots=True)
class GroundPlan:
    """The whole rings, and the bytes after them."""

    rings: tuple[Ring, ...]
    tail: bytes
    diagnostics: tuple[Diagnostic, ...] = field(default=(), compare=False)


def decode(data: Bytes) -> GroundPlan:
    """Read rings to the end; raises `FormatError` if not even the first is whole."""
    data = memoryview(data).cast("B")
    rings = tuple(_rings(data))
    if not rings:
        raise FormatError(
            Sentence("no whole ring in {size} bytes", size=len(data)), table=RINGS, index=0, rule="BAS01"
        )
    tail = bytes(data[sum(ring.size for ring in rings) :])
    return GroundPlan(rings, tail, tuple(_findings(tail)))


def _findings(tail: bytes) -> Iterator[Diagnostic]:
    if tail:
        message = Sentence("no ring is read from the last {size} bytes", size=len(tail))
        yield Diagnostic("BAS01", Severity.ERROR, message, "tail")


def encode(plan: GroundPlan) -> bytes:
    """The payload."""
    return b"".join(ring.encode() for ring in plan.rings) + plan.tail


def parts(plan: GroundPlan) -> Part:
    """Return the tree of parts."""
    rings: list[Part] = []
    start = 0
    for ring in plan.rings:
        rings.append(_ring_part(ring, start))
        start = rings[-1].end
    listed = listing(RINGS, rings, 0, "Closed lines on the ground.")
    return group((listed, raw("tail", plan.tail, start, "Bytes that are not a ring.")))


def _ring_part(ring: Ring, start: int) -> Part:
    header = single(HEADER, ring.header, start)
    points = table(POINT, ring.point_rows, header.end)
    triangles = table(TRIANGLE, ring.triangle_rows, points.end)
    corners = table(CORNER, ring.corner_rows, triangles.end)
    return group((header, points, triangles, corners), "ring", start)


def _rings(data: memoryview) -> Iterator[Ring]:
    """The whole rings, at most `MAX_RINGS`."""
    start = 0
    for index in range(MAX_RINGS):
        ring = _read_ring(data, start, is_first=index == 0)
        if ring is None:
            return
        yield ring
        start += ring.size


def _read_ring(data: memoryview, start: int, *, is_first: bool) -> Ring | None:
    """Return the ring at `start`, or None if it is not whole."""
    points_start = start + HEADER.size
    if points_start > len(data):
        return None
    header = HEADER.view(data, offset=start, count=1)[0]
    count = int(header["count"])
    ties_start = points_start + (count + 1) * POINT.size
    tie_count = count if is_first else 0
    if count < 0 or ties_start + tie_count * _TIE_SIZE > len(data):
        return None
    points = POINT.view(data, offset=points_start, count=count + 1)
    triangles = TRIANGLE.view(data, offset=ties_start, count=tie_count)
    corners = CORNER.view(data, offset=ties_start + triangles.nbytes, count=tie_count)
    return Ring(header, points, triangles, corners)
