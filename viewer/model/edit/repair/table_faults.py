"""Faults of whole tables: repeated ones, tails, attributes, lengths, texts.

Source: spec/msh.md 1, 11 (V02 to V10, V21).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from viewer.formats.archive import nres_edit
from viewer.formats.msh import strings
from viewer.formats.msh.nodes import LEGACY_SIZE
from viewer.formats.msh.tables import (
    DERIVED,
    FRAME_MAP,
    NODES,
    NORMALS,
    STREAM14,
    STREAM15,
    STREAM16,
    STREAM18,
    STRINGS,
    TABLES,
    UVS,
    attributes,
)
from viewer.formats.record import Bytes
from viewer.model.edit.draft import Draft
from viewer.model.mesh.model import LOOSE, Model, Variant

OPTIONAL: Final = frozenset({STREAM14, STREAM15, STREAM16, STREAM18})
"""Tables that may come without attributes: all three are 0."""
OF_VERTICES: Final = (NORMALS, UVS, STREAM14, STREAM15, STREAM16, STREAM18)
"""Tables with a row for each vertex."""


def remove_repeated(draft: Draft) -> None:
    """Remove tables of a type that comes a second time, which nothing reads (V02)."""
    archive = draft.model.archive
    edit = nres_edit.Edit(archive)
    for entry in reversed(archive.entries):
        if entry.type_id in TABLES and archive.find_type(entry.type_id) != entry.index:
            edit.remove(entry.index)
    draft.edit_container(edit)


def cut_tails(draft: Draft) -> None:
    """Cut what lies after the last whole record of a table (V04, V05)."""
    model = draft.model
    cut: dict[int, Bytes] = {}
    for table in TABLES.values():
        data = model.payload(table.type_id)
        size = _record_size(model, table.type_id)
        if size and table.type_id not in LOOSE and len(data) >= table.header_size:
            rest = (len(data) - table.header_size) % size
            if rest:
                cut[table.type_id] = data[: len(data) - rest]
    draft.replace_tables(cut)


def _record_size(model: Model, type_id: int) -> int:
    """Size of the records of a table, 0 if it has none of one size."""
    if type_id == NODES and model.variant is Variant.LEGACY24:
        return LEGACY_SIZE
    record = TABLES[type_id].record
    return record.size if record else 0


def mend_attributes(draft: Draft) -> None:
    """Set the attributes of the tables that are known to what follows from their sizes (V03, V06 to V08)."""
    model = draft.model
    edit = nres_edit.Edit(model.archive)
    for type_id in sorted(DERIVED):
        index = model.archive.find_type(type_id)
        if index is None or not model.has(type_id) or not _is_stated(model, type_id):
            continue
        entry = model.archive.entry(index)
        kept = entry.attr2 if type_id in {NODES, FRAME_MAP} else 0
        size = len(model.payload(type_id))
        attr1, _, attr3 = attributes(type_id, size, node_count=model.record_count, frame_count=1)
        if (attr1, kept, attr3) != (entry.attr1, entry.attr2, entry.attr3):
            edit.describe(index, attr1, kept, attr3)
    draft.edit_container(edit)


def _is_stated(model: Model, type_id: int) -> bool:
    """Whether a table states attributes that follow from its size."""
    entry = next(entry for entry in model.archive.entries if entry.type_id == type_id)
    if type_id in OPTIONAL and not any((entry.attr1, entry.attr2, entry.attr3)):
        return False
    return not (type_id == NODES and model.variant is Variant.LEGACY24)


def fit_vertices(draft: Draft) -> None:
    """Cut tables of vertices that are longer than the positions, fill up shorter ones with 0 (V09, V10)."""
    model = draft.model
    fitted: dict[int, Bytes] = {}
    for type_id in OF_VERTICES:
        rows = model.rows(type_id)
        if model.has(type_id) and len(rows) != model.vertex_count:
            made = np.zeros(model.vertex_count, rows.dtype)
            made[: len(rows)] = rows[: len(made)]
            fitted[type_id] = made.tobytes()
    draft.replace_tables(fitted)


def mend_texts(draft: Draft) -> None:
    """Write the texts that can be read, with their NUL, and none for the other nodes (V21)."""
    model = draft.model
    if not model.has(STRINGS):
        return
    found = strings.read_texts(model.payload(STRINGS), model.record_count)
    if found.diagnostics:
        texts = [*found.texts, *[b""] * (model.record_count - len(found.texts))]
        draft.replace_tables({STRINGS: strings.build(texts)})
