"""What belongs to a model by its name follows a new name of the model: wear table, controller and the like.

Source: spec/nres.md 6, spec/field-notes.md 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from viewer.formats.archive import nres
from viewer.formats.text import decode, fold, until_nul
from viewer.model.edit.archive import directory
from viewer.model.edit.archive.entries import RenameEntry
from viewer.model.edit.change import Consequence, Topic
from viewer.model.edit.draft import Draft
from viewer.model.game.registry import MODEL_SUFFIX
from viewer.model.references.stored import NEIGHBORS


def find(before: memoryview, draft: Draft) -> Iterator[Consequence]:
    """Yield new names for the entries that a renamed model would lose.

    A model that shares its old name with another one leaves them to that one, and a name that is taken is not
    given.
    """
    old, new = directory.rows_of(before), directory.rows_of(draft.data)
    if old is None or new is None or len(old) != len(new):
        return
    names = [until_nul(bytes(name)) for name in new["name"].tolist()]
    rows = {fold(name): row for row, name in reversed([*enumerate(names)])}
    for row in np.flatnonzero(old["name"] != new["name"]).tolist():
        was, now = fold(until_nul(bytes(old["name"][row]))), names[row]
        if was not in rows and was.endswith(MODEL_SUFFIX) and fold(now).endswith(MODEL_SUFFIX):
            yield from _following(was.removesuffix(MODEL_SUFFIX), now[: -len(MODEL_SUFFIX)], names, rows)


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
