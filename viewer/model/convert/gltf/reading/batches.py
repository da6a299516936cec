"""The batches that primitives are, by what this program wrote into their mesh.

Other programs keep no extras of primitives, and join those of one material: a primitive is then a batch if
both are the only ones of their material.

Source: viewer.model.convert.gltf.extras; spec/msh.md 8.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from viewer.formats.msh.batches import BATCH
from viewer.model.convert.gltf.reading.own import Own, columns_of
from viewer.model.convert.scene import NO_FIELDS, Fields, Primitive
from viewer.model.mesh.reading import MaterialField


def with_batches(
    own: Own, primitives: Sequence[Primitive], wear_rows: Sequence[int | None], material_field: str | None
) -> tuple[Primitive, ...]:
    """Primitives with the numbers and fields of their batches.

    Parameters
    ----------
    own
        What is written about the mesh.
    wear_rows
        The row of the material of each primitive.
    material_field
        The field of a batch with its wear row; None if it is not known.
    """
    said = own.part("batches")
    numbers = said.wholes("row")
    if not numbers:
        return tuple(primitives)
    fields = dict(zip(numbers, columns_of(BATCH, said, len(numbers)), strict=True))
    named = {_wear_row(it, material_field): number for number, it in fields.items()}
    lonely = _once([_wear_row(it, material_field) for it in fields.values()]) & _once(wear_rows)
    made = []
    for primitive, row in zip(primitives, wear_rows, strict=True):
        batch = primitive.batch
        if batch is None and row in lonely:
            batch = named[row]
        known = fields.get(batch, NO_FIELDS) if batch is not None else NO_FIELDS
        made.append(replace(primitive, batch=batch, fields=known))
    return tuple(made)


def _wear_row(fields: Fields, material_field: str | None) -> int | None:
    """The wear row of a batch."""
    if material_field == MaterialField.SEED:
        return fields.get("material")
    word = fields.get("opaque4") if material_field == MaterialField.FIELD else None
    return None if word is None else word & 0xFF


def _once(rows: Sequence[int | None]) -> set[int | None]:
    """The rows that are there once."""
    return {row for row, count in Counter(rows).items() if count == 1 and row is not None}
