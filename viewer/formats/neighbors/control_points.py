"""Control points of a model (``.cpt``): named points with a direction, each attached to nodes.

Source: spec/field-notes.md 5.
Status: inferred.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.formats.layout.layout import Count, Layout
from viewer.formats.layout.members import Array, Single, tail
from viewer.formats.record import CP1251, Field, Record, Rows, Status
from viewer.formats.text import decode as decode_text
from viewer.formats.text import until_nul

NAME_SIZE = 32

HEADER = Record("header", 4, Field("count", "<u4", "Number of points."), doc="Number of points.")

# Nine words, of which the second and the third are node numbers (spec/field-notes.md 5). On 9 retail points
# the carrier is -1 or past the model, which is no error.
POINT = Record(
    "points",
    36,
    Field("unknown_0x00", "<u4", "Unknown.", status=Status.OPEN),
    Field(
        "nodes",
        "<i4",
        "The node in whose space the point is, and the node that carries it and with which it is destroyed.",
        shape=(2,),
        refers_to="nodes",
        none=-1,
        components={"": ("placed by", "carried by")},
    ),
    Field("position", "<f4", "Position in the space of the first node.", shape=(3,)),
    Field("direction", "<f4", "Direction; its length is a magnitude.", shape=(3,)),
    doc="A point on the model.",
    status=Status.INFERRED,
)

NAME = Record(
    "names",
    NAME_SIZE,
    Field(
        "name",
        f"V{NAME_SIZE}",
        "Name of the point; bytes after the NUL are kept.",
        encoding=CP1251,
        status=Status.INFERRED,
    ),
    doc="The name of the point of the same row.",
)


class ControlPoints(Struct, frozen=True, eq=False):
    """Points and their names, with equal rows, as views of their bytes."""

    header: np.void
    points: Rows
    name_rows: Rows
    tail: bytes
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def names(self) -> tuple[bytes, ...]:
        """The names up to their NUL."""
        return tuple(until_nul(name) for name in self.name_rows["name"].tolist())


LAYOUT = Layout(
    ControlPoints,
    header=Single(HEADER, "CPT01"),
    # All points, then all names; not each point with its name.
    points=Array(POINT, Count("header", "count"), "CPT01"),
    name_rows=Array(NAME, Count("header", "count"), "CPT01"),
    tail=tail("Bytes after the last name.", "CPT01", Severity.WARNING),
)
decode, encode, parts = LAYOUT.decode, LAYOUT.encode, LAYOUT.parts


class PointColumns(Struct, frozen=True):
    """Further columns of the points."""

    name: Sequence[str]


class ControlPointFacts(Struct, frozen=True):
    """The names of the points."""

    points: PointColumns


def facts(points: ControlPoints, _: object = None) -> ControlPointFacts:
    """The name of each point."""
    return ControlPointFacts(PointColumns([decode_text(name) for name in points.names]))
