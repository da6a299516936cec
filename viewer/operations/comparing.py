"""Comparing two payloads: what differs, in words, as values and by table."""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct

from viewer.model.compare.differences import ChangeKind, Difference
from viewer.model.compare.edit_report import ChangedValue, values_of
from viewer.model.compare.files import ComparedPayload, compare
from viewer.model.compare.row_summary import summaries
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.item import Item
from viewer.translation import Text


class ComparedTable(Struct, frozen=True):
    """The differences in one table.

    Attributes
    ----------
    address
        The payload, in the second one.
    counts
        How many rows or values are changed, added, removed and renumbered.
    values
        The listed values, rows that change alike as one.
    """

    address: Address
    table: str
    counts: dict[ChangeKind, int]
    values: tuple[ChangedValue, ...]


class FileComparison(Struct, frozen=True, dict=True):
    """The differences between two payloads.

    Attributes
    ----------
    name
        The address of the second one, which values are listed under.
    changes
        Everything that differs.
    """

    name: Address
    changes: tuple[Difference, ...]

    @classmethod
    def of(cls, a: Item, b: Item, requested: ReadingChoice = ReadingChoice.AUTO) -> FileComparison:
        """Compare two items; raises `FormatError` if one of them cannot be read as its kind."""
        found = compare(ComparedPayload.of(a), ComparedPayload.of(b), requested)
        return cls(b.address, tuple(found))

    @cached_property
    def summary(self) -> tuple[Text, ...]:
        """The inserted, removed and renumbered rows in words: ``one key inserted``."""
        return summaries((self.name, it) for it in self.changes)

    @cached_property
    def tables(self) -> tuple[ComparedTable, ...]:
        """The differences table by table; inserted and removed rows shift no others."""
        order: dict[tuple[tuple[str, ...], str], list[Difference]] = {}
        for it in self.changes:
            order.setdefault((it.path, it.table), []).append(it)
        made = []
        for (path, table), found in order.items():
            counts = {what: sum(it.count for it in found if it.what is what) for what in ChangeKind}
            values = values_of((self.name, it) for it in found)
            ordered = sorted(values, key=lambda it: (-1 if it.row is None else it.row, it.field))
            made.append(ComparedTable(self.name.child(*path), table, counts, tuple(ordered)))
        return tuple(made)
