"""The batches of a model follow the rows of its wear table.

Of the lightmaps of a wear table batches only say whether they take one, not which.

Source: spec/msh.md 8.1, spec/field-notes.md 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from viewer.errors import EditError, UsageError
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.tables import BATCHES
from viewer.formats.record import Rows
from viewer.formats.wear import MAX_ROWS
from viewer.model.edit.choices import RowChoice
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.vertex_tables import put, refuse_terrain, rows_of
from viewer.model.edit.rows.arrangement import REMOVED
from viewer.model.mesh.draws import Indices
from viewer.model.mesh.reading import MaterialField, material_field, wear_rows_of
from viewer.translation import Sentence


@dataclass(frozen=True, slots=True)
class FollowWear:
    """Give batches the new numbers of the rows of a wear table; numbers of no row stay.

    Parameters
    ----------
    count
        Rows that the wear table had.
    order
        The rows that it has, by the indices that they had; None for one that is new.
    """

    count: int
    order: tuple[int | None, ...]

    @property
    def words(self) -> str:
        """What it does."""
        return Sentence("follow the rows of the wear table")

    def apply(self, draft: Draft) -> None:
        """Write the selectors; raises `EditError` for a batch with a removed row."""
        if not 0 <= self.count <= MAX_ROWS:
            raise UsageError(
                Sentence("{value} exceeds {low}..{high}", value=self.count, low=0, high=MAX_ROWS)
            )
        refuse_terrain(draft, BATCHES)
        rows = rows_of(draft, BATCHES)
        field = material_field(rows, self.count, draft.reading.requested)
        old = wear_rows_of(rows, field)
        new = self._targets(old)
        name, limit = ("material", 0xFFFF) if field is MaterialField.SEED else ("opaque4", 0xFF)
        self._refuse_removed(old, new, name)
        for row in np.flatnonzero((new > limit) & (new != old))[:1].tolist():
            message = Sentence("{value} exceeds {low}..{high}", value=int(new[row]), low=0, high=limit)
            raise EditError(message, table=BATCH.name, index=row, field=name)
        rows[name] = new if field is MaterialField.SEED else rows[name] & 0xFF00 | new
        if (new != old).any():
            self._refuse_other_field(draft, rows, field)
            put(draft, BATCHES, rows)

    def _targets(self, old: Indices) -> Indices:
        """The new row of each batch, `REMOVED` for one that is not there any more."""
        targets = np.full(self.count, REMOVED, np.int64)
        for row, source in enumerate(self.order):
            if source is not None and 0 <= source < self.count:
                targets[source] = row
        is_row = old < self.count
        return np.where(is_row, targets[np.where(is_row, old, 0)], old) if self.count else old

    def _refuse_removed(self, old: Indices, new: Indices, field: str) -> None:
        lost = np.flatnonzero(new == REMOVED).tolist()
        if lost:
            message = Sentence(
                "row {row} of the wear table would be removed; batches with a removed row: {batches}",
                row=int(old[lost[0]]),
                batches=RowChoice.of(*lost).shown,
            )
            raise EditError(message, table=BATCH.name, index=lost[0], field=field)

    def _refuse_other_field(self, draft: Draft, rows: Rows, field: MaterialField) -> None:
        """Raise `EditError` if the rows would be read from another field than before, and be others."""
        now = material_field(rows, len(self.order), draft.reading.requested)
        if (wear_rows_of(rows, now) != wear_rows_of(rows, field)).any():
            message = Sentence("then another field would be read as the material; choose the reading first")
            raise EditError(message, table=BATCH.name)
