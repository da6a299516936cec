"""Damage of a model's nodes (``.ndp``): what each withstands, weighs, and how it explodes.

Source: spec/field-notes.md 5.
Status: inferred.
"""

from __future__ import annotations

from dataclasses import dataclass

from viewer.errors import Diagnostic, FormatError, Severity
from viewer.formats.record import Bytes, Field, Record, Rows, Status

COUNT_SIZE = 4

NODE_DAMAGE = Record(
    "damage",
    76,
    Field("flags", "<u4", "0x20 left, 0x40 right running gear.", status=Status.INFERRED),
    Field("hit_points", "<f4", "What it withstands; 1000000 = indestructible.", status=Status.INFERRED),
    Field("density", "<f4", "Density; times the volume of the slot = mass.", status=Status.INFERRED),
    Field("archive", "V32", "Archive of the explosion.", status=Status.INFERRED),
    Field("explosion", "V32", "Effect that the node ends in.", status=Status.INFERRED),
)


@dataclass(frozen=True, slots=True)
class Damage:
    """One `NODE_DAMAGE` record per node, over its own bytes."""

    rows: Rows
    tail: bytes
    diagnostics: tuple[Diagnostic, ...]


def decode(data: Bytes) -> Damage:
    """Read damage records; raises `FormatError` where fewer are present than stated."""
    data = memoryview(data).cast("B")
    if len(data) < COUNT_SIZE:
        message = f"{len(data)} bytes, the count needs {COUNT_SIZE}"
        raise FormatError(message, table=NODE_DAMAGE.name, rule="NDP01")
    count = int.from_bytes(data[:COUNT_SIZE], "little", signed=True)
    available = (len(data) - COUNT_SIZE) // NODE_DAMAGE.size
    if not 0 <= count <= available:
        message = f"{count} records, {available} fit {len(data)} bytes"
        raise FormatError(message, table=NODE_DAMAGE.name, field="count", rule="NDP01")
    rows = NODE_DAMAGE.view(data, offset=COUNT_SIZE, count=count)
    tail = bytes(data[COUNT_SIZE + rows.nbytes :])
    message = f"{len(tail)} bytes after the last record"
    findings = (Diagnostic("NDP01", Severity.WARNING, message, NODE_DAMAGE.name),) if tail else ()
    return Damage(rows, tail, findings)


def encode(damage: Damage) -> bytes:
    """The payload."""
    return len(damage.rows).to_bytes(COUNT_SIZE, "little") + damage.rows.tobytes() + damage.tail
