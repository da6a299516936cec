"""The skies of a game folder, each in the folder of its mission.

Source: spec/field-notes.md 10.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from viewer.formats.text import fold
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import CaselessFolder, files_below

MISSIONS: Final = b"MISSIONS"
SKY: Final = b"sky.ske"
MOST_FILES: Final = 20_000
"""Files of missions that are looked at."""


def mission_skies(store: FileStore, game: Path) -> tuple[Address, ...]:
    """The skies of the missions of a game folder, in the order of their folders; empty if none is."""
    missions = CaselessFolder(game, store).child(MISSIONS)
    if missions is None:
        return ()
    files = files_below(store, [missions.path], MOST_FILES)
    return tuple(Address(it) for it in files if fold(os.fsencode(it.name)) == fold(SKY))


def sky_title(sky: Address) -> str:
    """Title of a sky in a list: the folder of its mission, or elsewhere its own name."""
    folders = sky.path.parts[:-1]
    is_missions = [fold(os.fsencode(it)) == fold(MISSIONS) for it in folders]
    if sky.entries or True not in is_missions:
        return sky.name
    # Behind the last folder of that name: the game itself may lie below another one.
    return "/".join(folders[len(folders) - is_missions[::-1].index(True) :]) or sky.name
