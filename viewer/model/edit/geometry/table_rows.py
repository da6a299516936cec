"""Rows of a model's table, taken out, changed as an array, and put back where they were."""

from __future__ import annotations

from viewer.errors import EditError
from viewer.formats import splice
from viewer.formats.msh.tables import TABLES
from viewer.formats.record import Rows
from viewer.model.edit.draft import Draft
from viewer.translation import Sentence


def rows_of(draft: Draft, type_id: int) -> Rows:
    """A copy of the whole records of a table, (n,); raises `EditError` if the model has none."""
    if not draft.model.has(type_id):
        raise EditError(Sentence("the model does not have this table"), table=TABLES[type_id].name)
    return draft.model.rows(type_id).copy()


def put(draft: Draft, type_id: int, rows: Rows) -> None:
    """Write as many records as the table has; bytes that are equal are not touched."""
    archive = draft.model.archive
    index = archive.find_type(type_id)
    if index is None:
        raise EditError(Sentence("the model does not have this table"), table=TABLES[type_id].name)
    start = archive.entry(index).offset + TABLES[type_id].header_size
    after = rows.tobytes()
    draft.splice(splice.moved(splice.between(draft.data[start : start + len(after)], after), start))
