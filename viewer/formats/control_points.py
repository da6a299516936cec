"""Control points of a model (``.cpt``): named places with a direction, each tied to nodes.

Source: spec/field-notes.md 5.
Status: inferred.
"""

from __future__ import annotations

from dataclasses import dataclass

from viewer.errors import Diagnostic, FormatError, Severity
from viewer.formats.record import Bytes, Field, Record, Rows, Status
from viewer.formats.text import until_nul

TABLE = "control_points"
COUNT_SIZE = 4
NAME_SIZE = 32

POINT = Record(
    TABLE,
    36,
    Field("unknown_0x00", "<u4", "Unknown.", status=Status.OPEN),
    Field("nodes", "<i4", "Two node indices.", shape=(2,), refers_to="nodes", status=Status.INFERRED),
    Field("position", "<f4", "Place.", shape=(3,), status=Status.INFERRED),
    Field("direction", "<f4", "Direction; its length is a magnitude.", shape=(3,), status=Status.INFERRED),
)

NAME = Record(
    "control_points.names",
    NAME_SIZE,
    Field(
        "name", f"V{NAME_SIZE}", "Name of the point; what follows the NUL is kept.", status=Status.INFERRED
    ),
)


@dataclass(frozen=True, slots=True)
class ControlPoints:
    """Points and their names, row by row, over their own bytes."""

    points: Rows
    name_rows: Rows
    tail: bytes
    diagnostics: tuple[Diagnostic, ...]

    @property
    def names(self) -> tuple[bytes, ...]:
        """The names up to their NUL."""
        return tuple(until_nul(name) for name in self.name_rows["name"].tolist())


def decode(data: Bytes) -> ControlPoints:
    """Read control points; raises `FormatError` where fewer are present than stated."""
    data = memoryview(data).cast("B")
    if len(data) < COUNT_SIZE:
        raise FormatError(f"{len(data)} bytes, the count needs {COUNT_SIZE}", table=TABLE, rule="CPT01")
    count = int.from_bytes(data[:COUNT_SIZE], "little")
    available = (len(data) - COUNT_SIZE) // (POINT.size + NAME.size)
    if count > available:
        message = f"{count} points, {available} fit {len(data)} bytes"
        raise FormatError(message, table=TABLE, field="count", rule="CPT01")
    points = POINT.view(data, offset=COUNT_SIZE, count=count)
    names = NAME.view(data, offset=COUNT_SIZE + points.nbytes, count=count)
    tail = bytes(data[COUNT_SIZE + points.nbytes + names.nbytes :])
    message = f"{len(tail)} bytes after the last name"
    findings = (Diagnostic("CPT01", Severity.WARNING, message, TABLE),) if tail else ()
    return ControlPoints(points, names, tail, findings)


def encode(control_points: ControlPoints) -> bytes:
    """The payload."""
    count = len(control_points.points).to_bytes(COUNT_SIZE, "little")
    return count + control_points.points.tobytes() + control_points.name_rows.tobytes() + control_points.tail
