"""The bundled game with more parts in its registry, which fit the sockets of its walker."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from tests.corpora import GAME
from viewer.formats.archive import nres
from viewer.model.game.assembly import EXTERNAL

WALKER: Final = "UNITS/UNITS/SAMPLE/walker.dat"
MORE: Final = {
    "e_gun_tw_02": ("guns.rlb", "e_gun_tw_01.msh"),
    "e_tur_bt_02": ("turrets.rlb", "e_tur_bt_01.msh"),
    "e_gun_ll_01": ("guns.rlb", "e_gun_tw_01.msh"),
    "e_gun_ll_02": ("nowhere.rlb", "e_gun_tw_01.msh"),
}
"""Archive and model by key; the last one leads nowhere."""


def outfitted_game(folder: Path) -> Path:
    """A copy of the bundled game whose registry has `MORE` parts as well."""
    shutil.copytree(GAME, folder)
    path = next(it for it in folder.iterdir() if it.name.lower() == "objects.rlb")
    archive = nres.Archive.read(memoryview(path.read_bytes()))
    kept = [nres.NewEntry(it.type_id, archive.payload(it.index), it.name) for it in archive.entries]
    added = [
        nres.NewEntry(EXTERNAL, b"".join(name.encode().ljust(32, b"\0") for name in names), key.encode())
        for key, names in MORE.items()
    ]
    path.write_bytes(nres.build([*kept, *added]))
    return folder
