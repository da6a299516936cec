"""Fields of records that were changed in a file, where no other part of it says them.

What follows from the rest is not compared: ranges, parents, cells, tracks.

Source: spec/msh.md 2, 3, 8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.slots import HEADER, SLOT
from viewer.formats.record import Field, Record
from viewer.model.convert.importing.matching import Matched
from viewer.model.convert.scene import Fields, Scene
from viewer.model.edit.change import Change
from viewer.model.edit.choices import RowChoice
from viewer.model.edit.set_field import SetField

OWN: Final[Mapping[str, tuple[str, ...]]] = {
    NODE.name: ("flags",),
    SLOT.name: ("aabb_min", "aabb_max", "sphere_center", "sphere_radius", "opaque"),
    BATCH.name: ("flags", "opaque4", "opaque6", "opaque14"),
    HEADER.name: tuple(field.name for field in HEADER.fields),
}
"""The fields of each record that nothing else says."""


def field_changes(expected: Scene, given: Scene, matched: Matched) -> Iterator[Change]:
    """Yield what was set in the fields of nodes, slots, batches and the header.

    Against another model than the scene was made from, bounds and counts are not compared: they follow from
    its geometry.
    """
    is_own = given.origin is None or given.origin == expected.origin
    for change in _changes(expected, given, matched):
        if is_own or change.field == "flags":
            yield change


def _changes(expected: Scene, given: Scene, matched: Matched) -> Iterator[SetField]:
    yield from _of_record(HEADER, None, expected.fields, given.fields)
    for node, at in zip(given.nodes, matched.nodes, strict=True):
        if at is not None:
            known = expected.nodes[at]
            yield from _of_record(NODE, known.number, known.fields, node.fields)
    for index, at in enumerate(matched.meshes):
        if at is None or matched.meshes.index(at) != index:
            continue
        known_mesh, mesh = expected.meshes[at], given.meshes[index]
        yield from _of_record(SLOT, known_mesh.slot, known_mesh.fields, mesh.fields)
        batches = {it.batch: it.fields for it in known_mesh.primitives}
        for it in mesh.primitives:
            if it.batch in batches:
                yield from _of_record(BATCH, it.batch, batches[it.batch], it.fields)


def _of_record(record: Record, row: int | None, known: Fields, given: Fields) -> Iterator[SetField]:
    rows = RowChoice() if row is None else RowChoice.of(row)
    for name in OWN[record.name]:
        if name in known and name in given and not _is_same(record.field(name), known[name], given[name]):
            yield SetField(record.name, rows, name, _plain(record.field(name), given[name]))


def _is_same(field: Field, known: Any, given: Any) -> bool:
    """Whether values are stored the same; what is no value of the field is not compared."""
    try:
        with np.errstate(over="ignore"):
            one, other = (np.asarray(it, field.dtype).reshape(-1) for it in (known, given))
    except (TypeError, ValueError, OverflowError):
        return True
    return len(one) != len(other) or one.tobytes() == other.tobytes()


def _plain(field: Field, value: Any) -> Any:
    """A value as `SetField` has it."""

    def tuples(item: Any) -> Any:
        return tuple(map(tuples, item)) if isinstance(item, list) else item

    return tuples(np.asarray(value, field.dtype).reshape(field.shape).tolist())
