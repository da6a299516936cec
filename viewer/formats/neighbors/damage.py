"""Damage of a model's nodes (``.ndp``): hit points, density and explosion of each.

Source: spec/field-notes.md 5.
Status: inferred.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from viewer.errors import Diagnostic, FormatError, Severity
from viewer.formats.part import Part, group, raw, single, table
from viewer.formats.record import ARCHIVE, CP1251, ENTRY, Bytes, Field, Record, Rows, Status
from viewer.translation import Sentence

FLAGS = {0x20: "left running gear", 0x40: "right running gear"}

HEADER = Record("header", 4, Field("count", "<i4", "Number of nodes."), doc="Number of nodes.")

NODE_DAMAGE = Record(
    "nodes",
    76,
    Field("flags", "<u4", "Kind of the node.", flags=FLAGS, status=Status.INFERRED),
    Field("hit_points", "<f4", "Hit points; 1000000 = indestructible.", status=Status.INFERRED),
    Field("density", "<f4", "Density; times the volume of the slot = mass.", status=Status.INFERRED),
    Field(
        "archive",
        "V32",
        "Archive of the explosion.",
        encoding=CP1251,
        names=ARCHIVE,
        status=Status.INFERRED,
    ),
    Field(
        "explosion",
        "V32",
        "Effect of the node's destruction.",
        encoding=CP1251,
        names=ENTRY,
        status=Status.INFERRED,
    ),
    doc="Damage parameters of a node of the model.",
)


@dataclass(frozen=True, slots=True)
class Damage:
    """One `NODE_DAMAGE` record per node, as a view of its bytes."""

    header: np.void
    rows: Rows
    tail: bytes
    diagnostics: tuple[Diagnostic, ...] = field(default=(), compare=False)


def decode(data: Bytes) -> Damage:
    """Read damage records; raises `FormatError` if fewer are present than stated."""
    data = memoryview(data).cast("B")
    header = HEADER.read(data, rule="NDP01")
    count = int(header["count"])
    available = (len(data) - HEADER.size) // NODE_DAMAGE.size
    if not 0 <= count <= available:
        message = Sentence(
            "{count} records, {available} fit {size} bytes", count=count, available=available, size=len(data)
        )
        raise FormatError(message, table=HEADER.name, field="count", rule="NDP01")
    rows = NODE_DAMAGE.view(data, offset=HEADER.size, count=count)
    tail = bytes(data[HEADER.size + rows.nbytes :])
    return Damage(header, rows, tail, tuple(_findings(tail)))


def _findings(tail: bytes) -> Iterator[Diagnostic]:
    if tail:
        message = Sentence("{size} bytes after the last record", size=len(tail))
        yield Diagnostic("NDP01", Severity.WARNING, message, "tail")


def encode(damage: Damage) -> bytes:
    """The payload."""
    return damage.header.tobytes() + damage.rows.tobytes() + damage.tail


def parts(damage: Damage) -> Part:
    """Return the tree of parts."""
    header = single(HEADER, damage.header)
    rows = table(NODE_DAMAGE, damage.rows, header.end)
    return group((header, rows, raw("tail", damage.tail, rows.end, "Bytes after the last record.")))
