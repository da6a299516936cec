"""What follows from the names of entries: sort indices, and the names of what belongs to a renamed model.

Source: spec/nres.md 1.2, 5, 6; spec/field-notes.md 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from viewer.formats.archive import nres
from viewer.formats.record import Rows
from viewer.formats.text import decode, fold, until_nul
from viewer.model.edit import entries
from viewer.model.edit.change import Change, Consequence, Topic, change
from viewer.model.edit.draft import Draft
from viewer.model.edit.entries import RenameEntry
from viewer.model.game.registry import MODEL_SUFFIX
from viewer.model.references.users import NEIGHBORS
from viewer.model.store.following import row_after


def follow_model_name(before: memoryview, draft: Draft) -> Iterator[Consequence]:
    """Yield new names for the entries that a renamed model would lose.

    A model that shares its old name with another one leaves them to that one, and a name that is taken is not
    given.
    """
    old, new = entries.read_archive(before), entries.read_archive(draft.data)
    if old is None or new is None:
        return
    names = [entry.name for entry in new.entries]
    # Backwards, because the first of several entries with one name is the one that is found.
    rows = {fold(name): row for row, name in reversed([*enumerate(names)])}
    for entry in old.entries:
        was = fold(entry.name)
        row = row_after(entry, new, draft.splices) if was.endswith(MODEL_SUFFIX) and was not in rows else None
        if row is not None and fold(names[row]).endswith(MODEL_SUFFIX):
            stems = was.removesuffix(MODEL_SUFFIX), names[row][: -len(MODEL_SUFFIX)]
            yield from _following(*stems, names, rows)


def _following(
    was: bytes, now: bytes, names: Sequence[bytes], rows: Mapping[bytes, int]
) -> Iterator[Consequence]:
    """The new names of what belongs to a model, by its stems before and after."""
    for suffix in NEIGHBORS:
        row = rows.get(was + suffix)
        if row is not None:
            name = now + names[row][-len(suffix) :]
            if len(name) < nres.NAME_SIZE and fold(name) not in rows:
                yield Consequence(Topic.REFERENCES, RenameEntry(decode(names[row]), decode(name)))


@change("recompute-sort-indices", "recompute sort indices")
class RecomputeSortIndices(Change):
    """Set the sort indices of an archive to the order of its names."""

    def apply(self, draft: Draft) -> None:
        """Write those that differ; raises `EditError` for a packed library."""
        archive = entries.edited_archive(draft)
        rows = archive.rows.copy()
        rows["sort_index"] = order_of(rows)
        draft.write(archive.directory_offset, rows.tobytes())


def order_of(rows: Rows) -> list[int]:
    """The rows in the order of their names."""
    return nres.sort_order([until_nul(bytes(name)) for name in rows["name"].tolist()])


def follow_names(before: memoryview, draft: Draft) -> Iterator[Consequence]:
    """Yield what follows from names that were set by hand, in a directory whose sort indices were right."""
    archives = entries.read_archive(before), entries.read_archive(draft.data)
    if archives[0] is None or archives[1] is None:
        return
    old, new = archives[0].rows, archives[1].rows
    if len(old) != len(new):
        return
    if (old["name"] != new["name"]).any() and order_of(new) != new["sort_index"].tolist():
        yield Consequence(
            Topic.ORDER, RecomputeSortIndices(), is_default=order_of(old) == old["sort_index"].tolist()
        )
