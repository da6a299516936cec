"""Names of OBJ objects, materials and pictures: readable, and with the rows that they came from.

``turret~n3.s4.b7`` is what node 3 shows of batch 7, in slot 4, ``STEEL~m2`` material 2 of the scene. Programs
replace spaces and add ``.001``; the tags survive both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_TAG: Final = re.compile(r"~n(\d{1,6})\.s(\d{1,6})\.b(\d{1,6})")
TAGGED: Final = re.compile(rb"~n\d{1,6}\.s\d{1,6}\.b\d{1,6}")
"""A tag in the bytes of a file."""
_MATERIAL: Final = re.compile(r"~m(\d{1,6})")
_PLAIN: Final = re.compile(r"[^\w.\-]+")
LONGEST: Final = 40
"""Characters of a node's name that are kept, so that the whole fits where names are cut."""


@dataclass(frozen=True, slots=True, order=True)
class Tag:
    """The indices of a node, its mesh, and a primitive of that mesh, in their scene."""

    node: int
    mesh: int
    primitive: int


def name_of(tag: Tag, name: str) -> str:
    """The name of an object."""
    return f"{plain(name)}~n{tag.node}.s{tag.mesh}.b{tag.primitive}"


def plain(name: str) -> str:
    """A name without spaces and signs."""
    return _PLAIN.sub("_", name)[:LONGEST]


def tag_of(name: str) -> Tag | None:
    """The tag in the name of an object; None without one."""
    found = _TAG.search(name)
    return Tag(*map(int, found.groups())) if found else None


def material_name(name: str, index: int) -> str:
    """The name of a material in a file."""
    return f"{plain(name) or 'material'}~m{index}"


def material_index(name: str) -> int | None:
    """The index of a material in the scene that was written; None for one of another program."""
    found = _MATERIAL.search(name)
    return int(found[1]) if found else None


def without_index(name: str) -> tuple[str, str]:
    """What is before and after the index in the name of a material."""
    before, _, after = _MATERIAL.sub("\0", name, count=1).partition("\0")
    return before, after


def picture_tag(index: int, name: str) -> str:
    """The end of the name of a picture's file, without its suffix."""
    return f"_{index}_{plain(name)}"
