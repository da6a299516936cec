"""Unit files (``UNITS/**/*.dat``): the components of a vehicle as a tree, written depth first.

Source: spec/objects.md 3, spec/field-notes.md 5.
Status: inferred.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from msgspec import Struct

from viewer.diagnostics import Diagnostic
from viewer.formats.layout.layout import Layout
from viewer.formats.layout.members import Array, Single, tail
from viewer.formats.record import ARCHIVE, CP1251, ENTRY, Field, Record, Rows, Status
from viewer.json_types import described

MAGIC = 0xF0F1
ON_NODE = frozenset({1, 2, 4})
"""Classes of components that hang on a node of the parent's model; some guns are stored as armour."""
CLASSES = {0: "chassis", 1: "turret", 2: "armour", 3: "internal", 4: "gun", 5: "clip"}

# 0x80000010, a factory, shifted by 28 bits.
BUILDING = 8
"""The highest four bits of the type of a building."""


class UnitTypes(dict[int, str]):
    """Types of units by their number; any other with the bits of a building is one."""

    def __contains__(self, value: object) -> bool:
        return dict.__contains__(self, value) or (isinstance(value, int) and value >> 28 == BUILDING)

    def __missing__(self, value: int) -> str:
        return "building"


UNIT_TYPES = UnitTypes({0x01008000: "warrior", 0x01020000: "hero", 0x80000010: "factory"})

HEADER = Record(
    "header",
    8,
    Field("magic", "<u4", "Always 0xF0F1.", allowed=(MAGIC,)),
    Field(
        "unit_type",
        "<u4",
        "Kind of unit.",
        values=UNIT_TYPES,
        status=Status.INFERRED,
    ),
    doc="Kind of the file.",
)

COMPONENT = Record(
    "components",
    112,
    Field("archive", "V32", "Registry, objects.rlb.", encoding=CP1251, names=ARCHIVE),
    Field("key", "V32", "Object key in the registry.", encoding=CP1251, names=ENTRY),
    Field("flags", "<u4", "1 in known files.", status=Status.OPEN),
    Field(
        "attachment",
        "<i4",
        "For a turret or gun a node of the parent's model, else a slot number of the parent's controller.",
        values={-1: "root"},
        status=Status.INFERRED,
    ),
    Field("name", "V32", "Display name; a NUL may be missing.", encoding=CP1251),
    Field("class_id", "<u4", "Kind of the component.", values=CLASSES, status=Status.INFERRED),
    Field("child_count", "<i4", "Number of direct children.", status=Status.INFERRED),
    doc="A part of the unit; its children follow it.",
)


class Unit(Struct, frozen=True, eq=False):
    """The components of a unit, as views of their bytes."""

    header: np.void
    components: Rows
    tail: bytes
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def parents(self) -> tuple[int, ...]:
        """The parent of each component, -1 for roots."""
        return parents_of(self.components["child_count"].tolist())


def parents_of(child_counts: Sequence[int]) -> tuple[int, ...]:
    """The parent of each component written depth first, -1 for roots."""
    # `waiting` has the components that still miss children, the innermost last. Counts 2 1 0 0: 1 hangs on 0,
    # 2 on 1, and 3, as 1 is complete, on 0 again.
    parents: list[int] = []
    waiting: list[tuple[int, int]] = []
    for index, child_count in enumerate(child_counts):
        parent, left = waiting.pop() if waiting else (-1, 0)
        parents.append(parent)
        if left > 1:
            waiting.append((parent, left - 1))
        if child_count > 0:
            waiting.append((index, child_count))
    return tuple(parents)


LAYOUT = Layout(
    Unit,
    header=Single(HEADER, "UNIT01"),
    components=Array(COMPONENT),
    tail=tail("Bytes after the last whole component.", "UNIT01"),
)
decode, encode, parts = LAYOUT.decode, LAYOUT.encode, LAYOUT.parts


class ComponentColumns(Struct, frozen=True):
    """Further columns of the components."""

    parent: Annotated[Sequence[int], described("the component that it is mounted on")]


class UnitFacts(Struct, frozen=True):
    """Values that follow from the order of the components."""

    components: ComponentColumns


def facts(unit: Unit, _: object = None) -> UnitFacts:
    """The component that each component hangs on; -1 is none."""
    return UnitFacts(ComponentColumns(list(unit.parents)))
