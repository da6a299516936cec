"""A game folder on the disk in which every name leads somewhere, with a controller as well."""

from __future__ import annotations

from pathlib import Path

from tests.broken import games
from tests.formats.neighbors.test_control import controller


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
