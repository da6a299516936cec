"""The listing of an archive, in directory order, or of a folder by name, column by column."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from viewer.errors import MshviewError
from viewer.formats.archive import nres, rsli
from viewer.model.kinds.columns import Column, Columns, MadeColumn
from viewer.model.kinds.entry_kinds import entry_kinds
from viewer.model.kinds.record_rows import record_columns
from viewer.model.kinds.registry import ARCHIVE, PACKED, kind_of, recognise
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore

FOLDER: Final = "folder"
HEAD: Final = 64
"""Bytes at the start of a file that decide how much of it is read."""
LARGEST_READ: Final = 16 << 20
"""Size up to which a file that is no archive is read to find its kind; of a larger one only the start."""
_COLUMNS: Final = (
    *("index", "name", "type", "type_name", "size", "offset"),
    *("attr1", "attr2", "attr3", "sort_index", "packed_size", "method"),
)


def listing(container: nres.Archive | rsli.PackedLibrary) -> Columns:
    """Return the entries of an archive; the kind of each is determined on access."""
    if isinstance(container, rsli.PackedLibrary):
        return _packed_rows(container)
    rows, kinds = container.rows, entry_kinds(container)
    columns = record_columns(nres.ENTRY, rows)
    return Columns(
        len(rows),
        {
            "index": np.arange(len(rows)),
            "name": columns["name"],
            "type": columns["type_id"],
            "type_name": MadeColumn(kinds.codes, kinds.ids.__getitem__),
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
            "attr1": None,
            "attr2": None,
            "attr3": None,
            "sort_index": np.array([entry.sort_index for entry in entries], int),
            "packed_size": np.array([entry.packed_size for entry in entries], int),
            "method": [entry.method_name for entry in entries],
        },
    )


def _packed_type(archive: rsli.PackedLibrary, entry: rsli.PackedEntry) -> str:
    return recognise(0, memoryview(archive.head(entry.index)), entry.name).id


def folder_listing(store: FileStore, folder: Path) -> Columns:
    """Return the files and folders in a folder, by name; the kind of each is determined on access.

    Raises `AddressError` if the folder cannot be listed.
    """
    paths = [folder / name for name in store.names(folder)]
    revisions = [store.revision(path) for path in paths]
    columns: dict[str, Column] = dict.fromkeys(_COLUMNS)
    columns |= {
        "index": np.arange(len(paths)),
        "name": [path.name for path in paths],
        "type_name": MadeColumn(paths, partial(_file_type, store)),
        "size": [revision and revision.size for revision in revisions],
    }
    return Columns(len(paths), columns)


def _file_type(store: FileStore, path: Path) -> str | None:
    """The kind of a file; ``folder``, or None for what is unknown or cannot be read."""
    if store.is_folder(path):
        return FOLDER
    try:
        head = store.head(path, HEAD)
        revision = store.revision(path)
        is_archive = head[:4] in {ARCHIVE.magic, PACKED.magic}
        if is_archive or (revision and revision.size <= LARGEST_READ):
            kind = kind_of(store.open(Address(path)))
        else:
            kind = recognise(0, head, os.fsencode(path.name))
    except MshviewError:
        return None
    finally:
        store.forget(path)
    return kind.id if kind.is_known else None
