"""The sort indices of a directory, which follow from its names.

Source: spec/nres.md 1.2, 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from viewer.formats.archive import nres
from viewer.formats.record import Rows
from viewer.formats.text import until_nul
from viewer.model.edit.archive import directory
from viewer.model.edit.change import Consequence, Topic
from viewer.model.edit.draft import Draft


@dataclass(frozen=True, slots=True)
class RecomputeSortIndices:
    """Set the sort indices of an archive to the order of its names."""

    @property
    def words(self) -> str:
        """What it does."""
        return "recompute sort indices"

    def apply(self, draft: Draft) -> None:
        """Write those that differ; raises `EditError` for a packed library."""
        archive = directory.archive(draft)
        rows = archive.rows.copy()
        rows["sort_index"] = order_of(rows)
        draft.write(archive.directory_offset, rows.tobytes())


def order_of(rows: Rows) -> list[int]:
    """The rows in the order of their names."""
    return nres.sort_order([until_nul(bytes(name)) for name in rows["name"].tolist()])


def find(before: memoryview, draft: Draft) -> Iterator[Consequence]:
    """Yield what follows from names that were set by hand, in a directory whose sort indices were right."""
    archives = directory.archive_in(before), directory.archive_in(draft.data)
    if archives[0] is None or archives[1] is None:
        return
    old, new = archives[0].rows, archives[1].rows
    if len(old) != len(new):
        return
    if (old["name"] != new["name"]).any() and order_of(new) != new["sort_index"].tolist():
        yield Consequence(
            Topic.ORDER, RecomputeSortIndices(), is_default=order_of(old) == old["sort_index"].tolist()
        )
