"""The listing of an archive as plain data, in directory order."""

from __future__ import annotations

from functools import partial

import numpy as np

from viewer.formats.archive import nres, rsli
from viewer.model.kinds.columns import Columns, MadeColumn
from viewer.model.kinds.record_rows import record_columns
from viewer.model.kinds.registry import recognise


def listing(container: nres.Archive | rsli.PackedLibrary) -> Columns:
    """Return the entries of an archive; the kind of each is determined on access."""
    if isinstance(container, rsli.PackedLibrary):
        return _packed_rows(container)
    rows = container.rows
    columns = record_columns(nres.ENTRY, rows)
    return Columns(
        len(rows),
        {
            "index": np.arange(len(rows)),
            "name": columns["name"],
            "type": columns["type_id"],
            "type_name": MadeColumn(range(len(rows)), partial(_entry_type, container)),
            "size": columns["size"],
            "offset": columns["data_offset"],
            "attr1": columns["attr1"],
            "attr2": columns["attr2"],
            "attr3": columns["attr3"],
            "sort_index": columns["sort_index"],
            "packed_size": None,
            "method": None,
        },
    )


def _entry_type(archive: nres.Archive, index: int) -> str:
    entry = archive.entry(index)
    payload = memoryview(b"") if entry.is_damaged else archive.payload(index)
    return recognise(entry.type_id, payload, entry.name).id


def _packed_rows(archive: rsli.PackedLibrary) -> Columns:
    entries = archive.entries
    count = len(entries)
    return Columns(
        count,
        {
            "index": np.arange(count),
            "name": [entry.text for entry in entries],
            "type": np.zeros(count, int),
            "type_name": MadeColumn(entries, partial(_packed_type, archive)),
            "size": np.array([entry.unpacked_size for entry in entries], int),
            "offset": np.array([entry.offset for entry in entries], int),
            "attr1": np.zeros(count, int),
            "attr2": np.zeros(count, int),
            "attr3": np.zeros(count, int),
            "sort_index": np.array([entry.sort_index for entry in entries], int),
            "packed_size": np.array([entry.packed_size for entry in entries], int),
            "method": [entry.method_name for entry in entries],
        },
    )


def _packed_type(archive: rsli.PackedLibrary, entry: rsli.PackedEntry) -> str:
    return recognise(0, memoryview(archive.head(entry.index)), entry.name).id
