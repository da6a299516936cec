"""Sockets: nodes without geometry that other models are mounted on.

Source: spec/field-notes.md 3.
Status: proven.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from viewer.formats.msh.nodes import NONE
from viewer.model.mesh.model import Model

PREFIX: Final = "base_"
"""What the name of a socket begins with, in lower case."""


def sockets(model: Model, names: Sequence[str]) -> frozenset[int]:
    """The nodes called ``Base_*`` without a slot in any cell."""
    is_empty = (model.nodes["slots"] == NONE).all(axis=(1, 2)).tolist()
    named = zip(names, is_empty, strict=False)
    return frozenset(node for node, (name, empty) in enumerate(named) if empty and _is_base(name))


def _is_base(name: str) -> bool:
    return name.lower().startswith(PREFIX)
