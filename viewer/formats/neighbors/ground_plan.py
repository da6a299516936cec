"""Ground plan of a building (``.bas``): closed rings on the ground, the first linked to triangles.

Source: spec/field-notes.md 5.
Status: inferred.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from viewer.dataclass import dataclass, field
from viewer.errors import Diagnostic
from viewer.formats.layout.layout import Count, Layout
from viewer.formats.layout.lists import Listing, Nested
from viewer.formats.layout.members import Array, Single, tail
from viewer.formats.record import Field, Record, Rows, Status

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

Words = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
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


@dataclass(frozen=True, slots=True)
class GroundPlan:
    """The whole rings, and the bytes after them."""

    rings: tuple[Ring, ...]
    tail: bytes
    diagnostics: tuple[Diagnostic, ...] = field(default=(), compare=False)


def _ties(it: Any) -> int:
    """Number of edges of the first ring; the others have none that are linked to triangles."""
    return 0 if it.index else int(it.header["count"])


_RING = Layout(
    Ring,
    header=Single(HEADER),
    point_rows=Array(POINT, Count("header", "count", 1)),
    triangle_rows=Array(TRIANGLE, _ties),
    corner_rows=Array(CORNER, _ties),
)
LAYOUT = Layout(
    GroundPlan,
    rings=Listing(
        RINGS,
        Nested("ring", _RING),
        "Closed lines on the ground.",
        rule="BAS01",
        most=MAX_RINGS,
        is_required=True,
    ),
    tail=tail("Bytes that are not a ring.", "BAS01"),
)
decode, encode, parts = LAYOUT.decode, LAYOUT.encode, LAYOUT.parts
