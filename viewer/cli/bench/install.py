"""An install of the game of any size, made of the sample: for timing and for tests of whole games."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from viewer.formats.archive import nres
from viewer.formats.msh.tables import BATCHES
from viewer.formats.record import Bytes
from viewer.model.kinds.registry import ARCHIVE, kind_of
from viewer.model.mesh.model import Model
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
    # By their text: paths of Windows compare without regard to case, and the install is the same everywhere.
    for path in sorted(files_below(store, [sample], 1 << 16), key=Path.as_posix):
        item = store.open(Address(path))
        if kind_of(item) is ARCHIVE and isinstance(item.container, nres.Archive):
            archive = item.container
            for entry in archive.entries:
                yield entry, bytes(archive.payload(entry.index))


def change_install(install: Path) -> None:
    """Change ten things of a made install: fields, entries, and loose files.

    A field of a model, of a material and of a texture and the attribute of an entry; an entry that is added,
    removed, renamed, and moved to another archive; a loose file that is changed and one that is renamed.
    """
    models, materials, textures = (install / name for name in ("models.rlb", "Material.lib", "Textures.lib"))
    entries = _entries(models)
    slots = Model.read(entries[0].payload)
    changed = bytearray(slots.payload(BATCHES))
    changed[0] ^= 1
    entries[0] = replace(entries[0], payload=slots.encode({BATCHES: changed}))
    _write(models, entries)
    entries = _entries(materials)
    entries[1] = replace(entries[1], payload=_flipped(entries[1].payload, -5))
    entries[2] = replace(entries[2], attr1=entries[2].attr1 ^ 1)
    _write(materials, entries)
    entries = _entries(textures)
    entries[0] = replace(entries[0], payload=_flipped(entries[0].payload, 100))
    _write(textures, entries)
    first, second = install / "made_000.rlb", install / "made_001.rlb"
    entries = _entries(first)
    moved = replace(entries.pop(7), name_raw=None, name=MOVED)
    del entries[5]
    entries[3] = replace(entries[3], name_raw=None, name=RENAMED)
    _write(first, entries)
    _write(second, [*_entries(second), moved, nres.NewEntry(0, b"something new", ADDED)])
    unit = next(iter(sorted(install.rglob("*.dat"))))
    write_file(unit, _flipped(unit.read_bytes(), -4))
    sky = next(iter(sorted(install.rglob("*.ske"))))
    sky.rename(sky.with_name("night.ske"))


RENAMED, MOVED, ADDED = b"RENAMED", b"MOVED", b"ADDED"
"""The names of entries after `change_install`."""


def _entries(path: Path) -> list[nres.NewEntry]:
    archive = nres.Archive.read(path.read_bytes())
    return [
        nres.NewEntry(
            it.type_id, bytes(archive.payload(it.index)), it.name, it.attr1, it.attr2, it.attr3, it.name_raw
        )
        for it in archive.entries
    ]


def _write(path: Path, entries: list[nres.NewEntry]) -> None:
    write_file(path, nres.build(entries))


def _flipped(data: Bytes, at: int) -> bytes:
    """Bytes with another lowest bit in one of them."""
    changed = bytearray(data)
    changed[at] ^= 1
    return bytes(changed)
