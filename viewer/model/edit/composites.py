"""Fields that are not a fixed range of bytes: names, decoded rotations, texts of any length."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from viewer.errors import EditError
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry import vertex_fields
from viewer.model.edit.keys.set_key import set_quaternions
from viewer.model.edit.nodes.rename_node import set_labels, set_names
from viewer.model.edit.row_choice import PRINTED
from viewer.model.edit.rows import line_texts, node_texts
from viewer.translation import Sentence

Setter = Callable[[Draft, Sequence[int], Any, tuple[int, ...]], None]
"""Sets a value, or an element of it, in rows of its table; raises `EditError`."""

DIRECTORY: Final = "directory"
SETTERS: Final[Mapping[tuple[str, str, str], Setter]] = {
    ("msh", "nodes", "name"): set_names,
    ("msh", "nodes", "takes"): set_labels,
    ("msh", "keys", "quaternion"): set_quaternions,
    ("msh", "strings", "text"): node_texts.set_texts,
    ("strings", "strings", "text"): node_texts.set_texts,
    **{("msh", *printed): setter for printed, setter in vertex_fields.SETTERS.items()},
    **{("wear", table, field): set_text for (table, field), set_text in line_texts.SETTERS.items()},
}
"""By the id of the kind, table and field."""
STORED: Final[Mapping[tuple[str, str], str]] = {
    ("keys", "quaternion_raw"): "quaternion",
    (DIRECTORY, "type"): "type_id",
    (DIRECTORY, "offset"): "data_offset",
    **vertex_fields.STORED,
}
"""Stored fields that are printed under another name, by table and printed name."""
TABLES: Final[Mapping[tuple[str, str], str]] = {
    ("msh", "resources"): DIRECTORY,
    ("nres", "entries"): DIRECTORY,
    ("rsli", "entries"): DIRECTORY,
}
"""Tables that are printed under another name, by the id of the kind and printed name."""
GROUPS: Final[Mapping[tuple[str, str], str]] = {
    ("msh", "header.sphere"): "sphere_",
    ("msh", "header.capsule"): "capsule_",
}
"""Starts of the names of header fields that are printed as a record of their own."""


def stored_place(kind: str, table: str, field: str) -> tuple[str, str]:
    """Return the table and the field where the value is stored that ``inspect`` prints at a place."""
    group = GROUPS.get((kind, table))
    if group is not None:
        return "header", group + field
    return TABLES.get((kind, table), table), field


def find(draft: Draft, table: str, field: str) -> Setter | None:
    """Return how a field is set that is more than the bytes of one record; None for a stored field.

    Raises `EditError` for a table that is only printed and does not have the field.
    """
    found = SETTERS.get((draft.kind.id, table, field))
    if found is None and draft.kind.id == "msh" and table in PRINTED:
        names = ", ".join(name for _, other, name in SETTERS if other == table)
        raise EditError(
            Sentence("has no field {name}; it has {names}", name=field, names=names), table=table, field=field
        )
    return found


def stored_name(table: str, field: str) -> str:
    """Return the name under which the stored value of a declared field is set: ``quaternion_raw``.

    It is another one than that of the field if ``inspect`` prints the field decoded.
    """
    raw = (name for (other, name), stored in STORED.items() if (other, stored) == (table, field))
    return next(raw, field)
