"""Ground plan of a building (``.bas``): rings on the ground, the inner ones linked to triangles.

The inner rings are traced on the model; the ground is cut inside the outer ones.

Source: spec/field-notes.md 5.
Status: inferred.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.diagnostics import Diagnostic
from viewer.formats.findings import Rule
from viewer.formats.layout.layout import Count, Layout
from viewer.formats.layout.lists import Listing, Nested
from viewer.formats.layout.members import Array, Single, tail
from viewer.formats.record import Field, Record, Rows, Status

INNER, OUTER = "inner", "outer"
"""The tables of rings."""
MAX_RINGS = 4096
"""Most rings of a set that are read; known files have one in each."""


# Both numbers are 1 in all 30 files, which then look like "1, edges, points" twice (spec/field-notes.md 5).
def _count(name: str, doc: str) -> Record:
    return Record(name, 4, Field("count", "<i4", doc, status=Status.INFERRED), doc=doc)


INNER_COUNT = _count("inner_count", "Number of inner rings; 1 in known files.")
OUTER_COUNT = _count("outer_count", "Number of outer rings; 1 in known files.")
HEADER = Record(
    "header",
    4,
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
    doc="The triangle at each edge of an inner ring.",
)
CORNER = Record(
    "corners",
    4,
    Field("corner", "<i4", "Corner of that triangle.", status=Status.INFERRED),
    doc="The corner of the triangle at each edge of an inner ring.",
)

Words = npt.NDArray[np.int32]


class Ring(Struct, frozen=True, eq=False):
    """A closed ring; its last point repeats the first.

    Parameters
    ----------
    header
        One `HEADER` record.
    point_rows
        `POINT` records, (n + 1,).
    triangle_rows, corner_rows
        `TRIANGLE` and `CORNER` records, (n,), one per edge; empty for outer rings.
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
        """The triangle of each edge, (n,) int32; empty for outer rings."""
        return self.triangle_rows["triangle"]

    @property
    def corners(self) -> Words:
        """The corner of that triangle, (n,) int32; empty for outer rings."""
        return self.corner_rows["corner"]


class GroundPlan(Struct, frozen=True, eq=False):
    """The whole rings of both sets.

    Parameters
    ----------
    inner_count, outer_count
        One `INNER_COUNT` and one `OUTER_COUNT` record; None if there is no outer set.
    inner, outer
        The rings that could be read.
    tail
        The bytes after them.
    """

    inner_count: np.void
    inner: tuple[Ring, ...]
    outer_count: np.void | None
    outer: tuple[Ring, ...]
    tail: bytes
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def rings(self) -> tuple[Ring, ...]:
        """All rings, the inner ones first."""
        return (*self.inner, *self.outer)


def _edges(it: Any) -> int:
    """Number of edges of a ring."""
    return int(it.header["count"])


_RING = Layout(
    Ring,
    header=Single(HEADER),
    point_rows=Array(POINT, Count("header", "count", 1)),
    triangle_rows=Array(TRIANGLE, _edges),
    corner_rows=Array(CORNER, _edges),
)
# Outer rings have points alone: they cut the ground, and only inner ones are traced on the model.
_PLAIN_RING = Layout(
    Ring,
    header=Single(HEADER),
    point_rows=Array(POINT, Count("header", "count", 1)),
    triangle_rows=Array(TRIANGLE, lambda _: 0, is_optional=True),
    corner_rows=Array(CORNER, lambda _: 0, is_optional=True),
)


def _has_outer(left: memoryview, _ignored: object) -> bool:
    return len(left) >= OUTER_COUNT.size


def _missing(plan: GroundPlan) -> Iterator[Diagnostic]:
    """A plan that ends after its inner rings."""
    # A plan that is damaged before that has its own report.
    if plan.outer_count is None and not plan.diagnostics:
        yield Rule("BAS01", INNER).finding("no number of outer rings after them")


LAYOUT = Layout(
    GroundPlan,
    check=_missing,
    inner_count=Single(INNER_COUNT, "BAS01"),
    inner=Listing(
        INNER,
        Nested("ring", _RING),
        "Contours of the building, linked to its triangles.",
        Count("inner_count", "count"),
        "BAS01",
        MAX_RINGS,
        is_required=True,
    ),
    outer_count=Single(OUTER_COUNT, "BAS01", is_optional=True, when=_has_outer),
    outer=Listing(
        OUTER,
        Nested("ring", _PLAIN_RING),
        "Contours inside which the ground is cut.",
        Count("outer_count", "count"),
        "BAS01",
        MAX_RINGS,
    ),
    tail=tail("Bytes that are not a ring.", "BAS01"),
)
decode, encode, parts = LAYOUT.decode, LAYOUT.encode, LAYOUT.parts
