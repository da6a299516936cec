"""An install of the game of any size, made of the sample: for timing and for tests of whole games."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Final

from msgspec import Struct

from viewer.formats.archive import nres
from viewer.model.kinds.registry import ARCHIVE, kind_of
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import files_below
from viewer.model.store.writing import write_file
from viewer.resources import bundled_path

SAMPLE: Final = "assets/game"
LONGEST: Final = 35
"""Bytes of a name in a directory."""


class InstallSize(Struct, frozen=True):
    """The size of a made install.

    Parameters
    ----------
    archive_count, entry_count
        Its archives besides those of the sample, and the entries of each.
    """

    archive_count: int
    entry_count: int


RETAIL: Final = InstallSize(103, 64)
"""With the 13 archives of the sample 116 archives and more than 6,700 entries, as the game has."""


def make_install(folder: Path, size: InstallSize) -> Path:
    """The sample game, and archives with the payloads of its archives in turn, under other names.

    Entries that belong together keep equal stems, so that models have their wear tables.
    """
    sample = Path(bundled_path(SAMPLE))
    shutil.copytree(sample, folder, dirs_exist_ok=True)
    payloads = cycle(_payloads(sample))
    for archive in range(size.archive_count):
        entries = (
            nres.NewEntry(
                entry.type_id, data, _name(archive, entry.name), entry.attr1, entry.attr2, entry.attr3
            )
            for entry, data in islice(payloads, size.entry_count)
        )
        write_file(folder / f"made_{archive:03}.rlb", nres.build(entries))
    return folder


def _name(archive: int, name: bytes) -> bytes:
    return b"%d_%s" % (archive, name.rjust(1)[-(LONGEST - 8) :])


def _payloads(sample: Path) -> list[tuple[nres.Entry, bytes]]:
    """The entries of the archives of the sample."""
    return [*_read(sample)]


def _read(sample: Path) -> Iterator[tuple[nres.Entry, bytes]]:
    store = FileStore()
    for path in sorted(files_below(store, [sample], 1 << 16)):
        item = store.open(Address(path))
        if kind_of(item) is ARCHIVE and isinstance(item.container, nres.Archive):
            archive = item.container
            for entry in archive.entries:
                yield entry, bytes(archive.payload(entry.index))
