"""Materials of batches: the wear row in the field that selects it in the reading in effect.

In a terrain it is the first layer of the faces.

Source: spec/msh.md 8.1, 12; spec/field-notes.md 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from viewer.errors import EditError
from viewer.formats.msh.tables import BATCHES, FACES, TABLES
from viewer.formats.record import Rows
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.table_rows import put, rows_of
from viewer.model.edit.row_choice import RowChoice
from viewer.model.mesh.draws import Indices
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.reading import MaterialField, material_field, wear_rows_of
from viewer.translation import Sentence


@dataclass(frozen=True, slots=True)
class AssignMaterial:
    """Give batches, or faces of a terrain, a material.

    Parameters
    ----------
    rows
        Rows of the batches, or of the faces.
    material
        Row of the wear table.
    """

    rows: RowChoice
    material: int

    @property
    def words(self) -> str:
        """The batches and the material."""
        return Sentence(
            "assign material {material} to rows {rows}", rows=self.rows.text, material=self.material
        )

    def apply(self, draft: Draft) -> None:
        """Write the selector; raises `EditError` for rows that do not exist and rows of no wear table."""
        table = TABLES[_table(draft.model)].name
        assign(draft, self.rows.rows(draft, table), self.material)


@dataclass(frozen=True, slots=True)
class ReplaceMaterial:
    """Give everything with one material another one.

    Parameters
    ----------
    material, by
        Rows of the wear table.
    """

    material: int
    by: int

    @property
    def words(self) -> str:
        """Both materials."""
        return Sentence("replace material {material} by {by}", material=self.material, by=self.by)

    def apply(self, draft: Draft) -> None:
        """Write the selectors; raises `EditError` if nothing has the material, or like `AssignMaterial`."""
        rows = np.flatnonzero(_materials(draft) == self.material).tolist()
        if not rows:
            message = Sentence("nothing has material {material}", material=self.material)
            raise EditError(message, table=TABLES[_table(draft.model)].name)
        assign(draft, rows, self.by)


def _table(model: Model) -> int:
    return FACES if model.variant is Variant.TERRAIN else BATCHES


def _materials(draft: Draft) -> Indices:
    """The wear row of every batch or face."""
    model = draft.model
    if model.variant is Variant.TERRAIN:
        return model.faces["material_a"].astype(np.int64)
    return wear_rows_of(model.batches, draft.reading.reading.material_field)


def assign(draft: Draft, chosen: Sequence[int], material: int) -> None:
    """Write the selector into chosen rows; raises `EditError` beyond its limits."""
    table = _table(draft.model)
    rows = rows_of(draft, table)
    field = draft.reading.reading.material_field
    is_word = table == BATCHES and field is MaterialField.SEED
    limit = 0xFFFF if is_word else 0xFF
    if not 0 <= material <= limit:
        message = Sentence("{value} exceeds {low}..{high}", value=material, low=0, high=limit)
        name = "material_a" if table == FACES else "material" if is_word else "opaque4"
        raise EditError(message, table=TABLES[table].name, index=next(iter(chosen), None), field=name)
    if table == FACES:
        rows["material_a"][chosen] = material
    elif is_word:
        rows["material"][chosen] = material
    else:
        rows["opaque4"][chosen] = rows["opaque4"][chosen] & 0xFF00 | material
    if table == BATCHES:
        was, other = (_field_of(draft, each) for each in (draft.model.batches, rows))
        if was is field and (wear_rows_of(rows, other) != wear_rows_of(rows, field)).any():
            message = Sentence("then another field would be read as the material; choose the reading first")
            raise EditError(message, table=TABLES[table].name)
    if draft.wear_rows is not None and material >= draft.wear_rows:
        draft.notes.append(Sentence("the wear table has {count} rows", count=draft.wear_rows))
    put(draft, table, rows)


def _field_of(draft: Draft, batches: Rows) -> MaterialField:
    """The field that batches would be read from."""
    return material_field(batches, draft.wear_rows, draft.reading.requested)
