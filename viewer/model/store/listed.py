"""The archive in a large file that is listed: what a listing does not look at stays on the disk.

A listing needs the directory and the first bytes of each payload, which decide almost every kind.
"""

from __future__ import annotations

import os
from io import FileIO
from pathlib import Path
from typing import Final

import numpy as np

from viewer.errors import AddressError, FormatError, reason_of
from viewer.formats.archive import nres
from viewer.model.store.address import Address
from viewer.model.store.disk import SIZE_LIMIT, Revision, revision_of
from viewer.model.store.file_store import FileStore
from viewer.translation import _

LEAST: Final = 1 << 20
"""Bytes of a file below which it is read whole."""
SPACING: Final = 16 << 10
"""Mean size of entries below which reading all of them is quicker than the start of each."""
START: Final = 4
"""Bytes of each payload that are read, which `entry_kinds` compares."""


class ListedArchive(nres.Archive, frozen=True, eq=False):
    """An archive whose `data` is zero where nothing was read: a payload is read when it is asked for.

    Attributes
    ----------
    path, revision
        The file, which must not change meanwhile.
    """

    path: Path = Path()
    revision: Revision = Revision(0, 0)

    def payload(self, index: int) -> memoryview:
        """The bytes of an entry; also raises `AddressError`."""
        data = super().payload(index)
        start = self.entry(index).offset
        try:
            with _opened(self.path, self.revision) as file:
                _fill(file, self.data, start, start + len(data))
        except OSError as error:
            message = _("cannot be read: {reason}", reason=reason_of(error))
            raise AddressError(message, source=self.path) from error
        return data


def listed(store: FileStore, address: Address) -> ListedArchive | None:
    """The archive in a file for a listing; None for what is read whole: all else, and what is damaged."""
    path, revision = address.path, store.revision(address.path)
    if address.entries or revision is None or revision.unsaved or not LEAST <= revision.size <= SIZE_LIMIT:
        return None
    try:
        with _opened(path, revision) as file:
            data = np.zeros(revision.size, np.uint8).data  # no memory before it is written to
            _fill(file, data, 0, nres.HEADER.size)
            archive = nres.Archive.read(data)
            if len(archive.rows) * SPACING > revision.size:
                return None
            # The rows are a view of the bytes, and get their contents only now: the header alone says where
            # they are.
            _fill(file, data, archive.directory_offset, archive.total_size)
            for start in archive.rows["data_offset"].tolist():
                _fill(file, data, start, start + START)
    except (AddressError, FormatError, OSError):
        return None
    return ListedArchive(data, archive.header, archive.rows, archive.total_size, path, revision)


def _opened(path: Path, revision: Revision) -> FileIO:
    """A file, which must be the one of a revision."""
    file = path.open("rb", buffering=0)
    found = os.fstat(file.fileno())
    if revision_of(found) != revision:
        file.close()
        raise AddressError("was changed by another program while it was read", source=path)
    return file


def _fill(file: FileIO, data: memoryview, start: int, stop: int) -> None:
    """Read some bytes of a file to their place."""
    file.seek(start)
    while start < min(stop, len(data)) and (count := file.readinto(data[start:stop])):
        start += count
