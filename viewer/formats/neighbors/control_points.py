"""Control points of a model (``.cpt``): named points with a direction, each attached to nodes.

Source: spec/field-notes.md 5.
Status: inferred.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from viewer.errors import Diagnostic, FormatError, Severity
from viewer.formats.part import Part, group, raw, single, table
from viewer.formats.record import CP1251, Bytes, Field, Record, Rows, Status
from viewer.formats.text import decode as decode_text
from viewer.formats.text import until_nul
from viewer.translation import Sentence

NAME_SIZE = 32

HEADER = Record("header", 4, Field("count", "<u4", "Number of points."), doc="Number of points.")

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
        status=Status.INFERRED,
    ),
    Field("position", "<f4", "Position in the space of the first node.", shape=(3,), status=Status.INFERRED),
    Field("direction", "<f4", "Direction; its length is a magnitude.", shape=(3,), status=Status.INFERRED),
    doc="A point on the model.",
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


@dataclass(frozen=True, slots=True)
class ControlPoints:
    """Points and their names, with equal rows, as views of their bytes."""

    header: np.void
    points: Rows
    name_rows: Rows
    tail: bytes
    diagnostics: tuple[Diagnostic, ...] = field(default=(), compare=False)

    @property
    def names(self) -> tuple[bytes, ...]:
        """The names up to their NUL."""
        return tuple(until_nul(name) for name in self.name_rows["name"].tolist())


def decode(data: Bytes) -> ControlPoints:
    """Read control points; raises `FormatError` if fewer are present than stated."""
    data = memoryview(data).cast("B")
    header = HEADER.read(data, rule="CPT01")
    count = int(header["count"])
    available = (len(data) - HEADER.size) // (POINT.size + NAME.size)
    if count > available:
        message = Sentence(
            "{count} points, {available} fit {size} bytes", count=count, available=available, size=len(data)
        )
        raise FormatError(message, table=HEADER.name, field="count", rule="CPT01")
    points = POINT.view(data, offset=HEADER.size, count=count)
    names_start = HEADER.size + points.nbytes
    names = NAME.view(data, offset=names_start, count=count)
    tail = bytes(data[names_start + names.nbytes :])
    return ControlPoints(header, points, names, tail, tuple(_findings(tail)))


def _findings(tail: bytes) -> Iterator[Diagnostic]:
    if tail:
        message = Sentence("{size} bytes after the last name", size=len(tail))
        yield Diagnostic("CPT01", Severity.WARNING, message, "tail")


def encode(points: ControlPoints) -> bytes:
    """The payload."""
    arrays = (points.header, points.points, points.name_rows)
    return b"".join(array.tobytes() for array in arrays) + points.tail


def parts(points: ControlPoints) -> Part:
    """Return the tree of parts."""
    header = single(HEADER, points.header)
    rows = table(POINT, points.points, header.end)
    names = table(NAME, points.name_rows, rows.end)
    return group((header, rows, names, raw("tail", points.tail, names.end, "Bytes after the last name.")))


def facts(points: ControlPoints, _: object = None) -> dict[str, Any]:
    """Return the name of each point."""
    return {"points": {"name": [decode_text(name) for name in points.names]}}
