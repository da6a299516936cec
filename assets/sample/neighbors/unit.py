"""Unit files (``.dat``): a machine of several objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from viewer.formats import units
from viewer.formats.text import padded

NAME_SIZE = 32
WARRIOR = 0x01008000
BUILDING = 0x80000000
"""Types of units."""
ROOT = -1


class PartClass(IntEnum):
    """Class of a component."""

    CHASSIS = 0
    TURRET = 1
    INTERNAL = 3
    GUN = 4


@dataclass(frozen=True)
class Component:
    """A part of a unit.

    Parameters
    ----------
    key
        Of the object in the registry.
    name
        Display name.
    part_class
        Class of the part.
    attachment
        Node of the parent's model for a turret or a gun, a slot number for an internal part.
    children
        The parts that hang on this one.
    """

    key: str
    name: str
    part_class: PartClass
    attachment: int = ROOT
    children: Sequence[Component] = ()


def unit_bytes(chassis: Component, unit_type: int) -> bytes:
    """The file, its components written depth first."""
    header = units.HEADER.new()
    header["magic"], header["unit_type"] = units.MAGIC, unit_type
    components = list(_depth_first(chassis))
    rows = units.COMPONENT.new(len(components))
    for row, component in zip(rows, components, strict=True):
        row["archive"] = padded(b"objects.rlb", NAME_SIZE)
        row["key"] = padded(component.key.encode("ascii"), NAME_SIZE)
        row["name"] = padded(component.name.encode("cp1251"), NAME_SIZE)
        row["flags"], row["attachment"] = 1, component.attachment
        row["class_id"], row["child_count"] = component.part_class, len(component.children)
    return units.encode(units.Unit(header[0], rows, b""))


def _depth_first(component: Component) -> Iterator[Component]:
    yield component
    for child in component.children:
        yield from _depth_first(child)
