"""Damage of a model's nodes (``.ndp``): hit points, density and explosion of each.

Source: spec/field-notes.md 5.
Status: inferred.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.formats.layout.layout import Count, Layout
from viewer.formats.layout.members import Array, Single, tail
from viewer.formats.record import ARCHIVE, CP1251, ENTRY, Field, Record, Rows, Status

# 0x70 is any running gear; projectiles have it as well, and scenery has 1 (spec/field-notes.md 5).
FLAGS = {0x20: "left running gear", 0x40: "right running gear"}

HEADER = Record("header", 4, Field("count", "<i4", "Number of nodes."), doc="Number of nodes.")

NODE_DAMAGE = Record(
    "nodes",
    76,
    Field("flags", "<u4", "Kind of the node.", flags=FLAGS),
    Field("hit_points", "<f4", "Hit points; 1000000 = indestructible."),
    Field("density", "<f4", "Density; times the volume of the slot = mass."),
    Field("archive", "V32", "Archive of the explosion.", encoding=CP1251, names=ARCHIVE),
    Field("explosion", "V32", "Effect of the node's destruction.", encoding=CP1251, names=ENTRY),
    doc="Damage parameters of a node of the model.",
    status=Status.INFERRED,
)


class Damage(Struct, frozen=True, eq=False):
    """The `NODE_DAMAGE` records of the nodes, as a view of their bytes."""

    header: np.void
    rows: Rows
    tail: bytes
    diagnostics: tuple[Diagnostic, ...] = ()


LAYOUT = Layout(
    Damage,
    header=Single(HEADER, "NDP01"),
    rows=Array(NODE_DAMAGE, Count("header", "count"), "NDP01"),
    tail=tail("Bytes after the last record.", "NDP01", Severity.WARNING),
)
decode, encode, parts = LAYOUT.decode, LAYOUT.encode, LAYOUT.parts
