"""A game folder on the disk in which every name leads somewhere, with a controller as well."""

from __future__ import annotations

from pathlib import Path

from tests.broken import games
from tests.formats.neighbors.test_control import controller
from viewer.formats.archive import nres


def write(folder: Path, **changed: bytes) -> Path:
    """Write the files of the game, some of them changed by stem, and return the folder."""
    files = {**games.sound(), "control.rlb": games.archive(0, {"turner.ctl": controller()})}
    files["objects.rlb"] = games.registry(
        {**games.OBJECTS, "turner": [(b"static.rlb", b"tree.msh"), (b"control.rlb", b"turner.ctl")]}
    )
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(changed.get(path.stem, data))
    return folder


def replace_entry(path: Path, name: bytes, data: bytes) -> None:
    """Write another payload for an entry of an archive."""
    archive = nres.Archive.read(path.read_bytes())
    path.write_bytes(
        nres.build(
            nres.NewEntry(
                it.type_id, data if it.name == name else bytes(archive.payload(it.index)), it.name, it.attr1
            )
            for it in archive.entries
        )
    )
