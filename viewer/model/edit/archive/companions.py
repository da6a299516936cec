"""What belongs to a model by its name follows a new name of the model: wear table, controller and the like.

Source: spec/nres.md 6, spec/field-notes.md 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from viewer.formats.archive import nres
from viewer.formats.text import decode, fold
from viewer.model.edit.archive import directory
from viewer.model.edit.archive.entries import RenameEntry
from viewer.model.edit.change import Consequence, Topic
from viewer.model.edit.draft import Draft
from viewer.model.game.registry import MODEL_SUFFIX
from viewer.model.references.stored import NEIGHBORS
from viewer.model.store.following import row_after


def find(before: memoryview, draft: Draft) -> Iterator[Consequence]:
    """Yield new names for the entries that a renamed model would lose.

    A model that shares its old name with another one leaves them to that one, and a name that is taken is not
    given.
    """
    old, new = directory.archive_in(before), directory.archive_in(draft.data)
    if old is None or new is None:
        return
    names = [entry.name for entry in new.entries]
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
