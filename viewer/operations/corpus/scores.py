"""The fit of the fields of an overlay to files: for each the rows that are as the user says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from viewer.model.kinds.explained import own_field
from viewer.model.kinds.own_field import OwnField
from viewer.model.kinds.own_fields import OwnFields
from viewer.model.kinds.registry import kind_of
from viewer.model.references.values import SearchedTable, tables_of
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.place import Place
from viewer.operations.corpus.many import FoundItem, ItemFinder, read_each
from viewer.progress import Progress, checkpoint, working
from viewer.translation import _

MOST_EXCEPTIONS: Final = 10
"""Rows of a field that are named because they do not fit."""


class FieldException(Struct, frozen=True):
    """A row that is not as the user says, and its value."""

    place: Place
    value: Any


class FieldScore(Struct):
    """The fit of a field of an overlay.

    Attributes
    ----------
    rows, files
        Rows that were read, and the resources that they are in.
    fitting
        Rows that are as the user says.
    values
        How often each value occurs, of the first `MOST_VALUES`.
    """

    own: OwnField
    rows: int = 0
    files: int = 0
    fitting: int = 0
    exceptions: list[FieldException] = field(default_factory=list)

    @property
    def share(self) -> float | None:
        """The share of rows that fit, 0 to 1; None without rows."""
        return self.fitting / self.rows if self.rows else None

    def add(self, address: Address, table: SearchedTable, stored: npt.NDArray[Any]) -> None:
        """Count the rows of a table."""
        values = self.own.read(stored)
        right = self.own.fits(values)
        self.rows += len(values)
        self.files += 1
        self.fitting += int(right.sum())
        for row in np.flatnonzero(~right)[: MOST_EXCEPTIONS - len(self.exceptions)].tolist():
            place = table.place(address, row, self.own.field)
            self.exceptions.append(FieldException(place, values[row].tolist()))


class OverlayScores(Struct, frozen=True):
    """The scores of all fields of an overlay, and what could not be read, and why."""

    fields: Sequence[FieldScore]
    unreadable: Mapping[str, str]


def score_fields(
    store: FileStore, overlay: OwnFields, addresses: Sequence[Address], progress: Progress
) -> OverlayScores:
    """Score the fields of an overlay that is in use over everything at some addresses.

    Raises `AddressError` if there is nothing of their formats. What cannot be read is noted, and the next one
    follows.
    """
    scores = {id(it): FieldScore(it) for it in overlay.fields}

    def add(found: FoundItem) -> None:
        item = store.open(found.address)
        for table in tables_of(item, kind_of(item).id, store):
            checkpoint()
            for declared in table.record.fields:
                own = own_field(declared)
                if own is not None and len(table.rows):
                    scores[id(own)].add(found.address, table, table.rows[declared.name])
        item.made.clear()

    with working(progress):
        kinds = frozenset(it.format for it in overlay.fields)
        found = ItemFinder(store, kinds, _("resource with fields")).find(addresses)
        unreadable = read_each(store, found, progress, add)
    return OverlayScores([*scores.values()], unreadable)
