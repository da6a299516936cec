"""Rows of a model's tables, taken out, changed as arrays, and put back."""

from __future__ import annotations

from collections.abc import Mapping

from viewer.errors import EditError
from viewer.formats import splice
from viewer.formats.msh.tables import TABLES
from viewer.formats.record import Bytes, Rows
from viewer.model.edit.draft import Draft
from viewer.model.mesh.model import Variant
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


def replace(draft: Draft, tables: Mapping[int, Rows]) -> None:
    """Set tables to records of any number, with their headers and tails kept.

    Raises `EditError` if the container cannot move its payloads.
    """
    made: dict[int, Bytes] = {}
    for type_id, rows in tables.items():
        data, header = draft.model.payload(type_id), TABLES[type_id].header_size
        old = draft.model.rows(type_id)
        made[type_id] = bytes(data[:header]) + rows.tobytes() + bytes(data[header + old.nbytes :])
    draft.replace_tables(made)


def refuse_terrain(draft: Draft, table: int) -> None:
    """Raise `EditError` for a terrain, whose triangles are not in this table."""
    if draft.model.variant is Variant.TERRAIN:
        raise EditError(Sentence("a terrain does not have this table"), table=TABLES[table].name)
