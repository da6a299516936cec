"""Names of OBJ objects: readable, and with the rows that they came from.

``turret~n3.s4.b7`` is what node 3 shows of batch 7, in slot 4. Programs replace spaces and add ``.001``; the
tag survives both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_TAG: Final = re.compile(r"~n(\d{1,6})\.s(\d{1,6})\.b(\d{1,6})")
TAGGED: Final = re.compile(rb"~n\d{1,6}\.s\d{1,6}\.b\d{1,6}")
"""A tag in the bytes of a file."""
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
