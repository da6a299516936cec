"""The order of the entries of an archive: one entry moved, or all of them in another order.

Source: spec/nres.md 1.2.
"""

from __future__ import annotations

from viewer.formats.archive import nres, nres_edit
from viewer.model.edit.archive.entries import DIRECTORY, edited_archive, entry_row
from viewer.model.edit.change import Change, change, refusal, refuse_missing
from viewer.model.edit.draft import Draft
from viewer.translation import _


@change("move-entry", "move entry {entry} to row {row}")
class MoveEntry(Change, frozen=True):
    """Move an entry to another row of the directory; payloads stay where they are.

    Parameters
    ----------
    entry
        Its name, or ``#`` and its row.
    row
        Its new row.
    """

    entry: str
    row: int

    def apply(self, draft: Draft) -> None:
        """Move the entry; raises `EditError` if there is none or row."""
        archive = edited_archive(draft)
        rows = [*range(len(archive.rows))]
        refuse_missing([self.row], len(rows), DIRECTORY)
        rows.insert(self.row, rows.pop(entry_row(archive, self.entry)))
        _reorder(draft, archive, rows)


@change("reorder-entries")
class ReorderEntries(Change, frozen=True):
    """Put the rows of the directory into another order; payloads stay where they are.

    Parameters
    ----------
    order
        The present row of each new one.
    """

    order: tuple[int, ...]

    @property
    def words(self) -> str:
        """The number of rows."""
        return _("reorder {count} entries", count=len(self.order))

    def apply(self, draft: Draft) -> None:
        """Reorder the rows; raises `EditError` if it is not an order of all rows."""
        archive = edited_archive(draft)
        if sorted(self.order) != [*range(len(archive.rows))]:
            raise refusal("the order needs each of {count} rows once", DIRECTORY, count=len(archive.rows))
        _reorder(draft, archive, [*self.order])


def _reorder(draft: Draft, archive: nres.Archive, order: list[int]) -> None:
    """Write the rows in an order; sort indices follow only if something moves."""
    if order != sorted(order):
        edit = nres_edit.Edit(archive)
        edit.reorder(order)
        draft.edit_container(edit)
