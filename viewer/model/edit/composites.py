"""Fields that ``inspect`` prints and no record has as such: names, labels, decoded rotations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from viewer.model.edit.draft import Draft
from viewer.model.edit.keys.set_key import set_quaternions
from viewer.model.edit.nodes.rename_node import set_labels, set_names
from viewer.model.kinds.registry import MODEL

Setter = Callable[[Draft, Sequence[int], Any, tuple[int, ...]], None]
"""Sets a value, or an element of it, in rows of its table; raises `EditError`."""

SETTERS: Final[Mapping[tuple[str, str], Setter]] = {
    ("nodes", "name"): set_names,
    ("nodes", "takes"): set_labels,
    ("keys", "quaternion"): set_quaternions,
}
"""By table and field of a model."""
STORED: Final[Mapping[tuple[str, str], str]] = {("keys", "quaternion_raw"): "quaternion"}
"""Stored fields that are printed under another name, by table and printed name."""


def find(draft: Draft, table: str, field: str) -> Setter | None:
    """Return how a field is set that is more than the bytes of one record; None for a stored field."""
    return SETTERS.get((table, field)) if draft.kind is MODEL else None
