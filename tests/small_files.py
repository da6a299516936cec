"""Small files made by builders, of every kind and every method of packing, for tests that need each."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np

from tests import damaged_files, skies
from tests.broken import games, libraries, models, neighbours, resources
from tests.corpora import GAME
from tests.formats.neighbors import test_areal_map as areal_maps
from tests.formats.neighbors.test_control import controller
from tests.fuzz.mutants import mutant
from tests.model import controllers
from viewer.formats.archive import nres, rsli_edit
from viewer.formats.msh.path_graph import LIGHT_PROBE
from viewer.formats.msh.tables import LIGHT_PROBES
from viewer.formats.neighbors import control
from viewer.formats.texture import font, palette, texm
from viewer.formats.texture.pixels import PixelFormat

TEXT = b"PARKAN PARKAN PARKAN! " * 20
METHODS = {
    "RAWTEXT.TXT": 0x000,
    "XORTEXT.TXT": 0x020,
    "LZTEXT.TXT": 0x040,
    "XLZTEXT.TXT": 0x060,
    "DEFTEXT.TXT": 0x100,
}
"""Every method by which payloads are packed when a library is written."""
COLORS = np.arange(1024, dtype=np.uint8).reshape(256, 4)


@cache
def files() -> Mapping[str, bytes]:
    """The files of a sound game, and others next to them, by their names."""
    neighbors = {
        "walker.ctl": controller(states=3, channels=2),
        "still.ctl": bytes(control.encode(controllers.build([controllers.State()]))),
        "points.cpt": neighbours.POINTS,
        "damage.ndp": neighbours.DAMAGE,
        "plan.bas": neighbours.PLAN,
        "colors.pal": palette.build(COLORS),
    }
    areals = nres.NewEntry(12, areal_maps.SOUND, b"", attr1=2)
    return {
        **games.sound(),
        "neighbors.rlb": games.archive(0, neighbors),
        "textures.rlb": games.archive(
            games.TEXM, {"PAGES.0": bytes(resources.texture()), "PALETTE.0": _indexed()}
        ),
        "materials.rlb": games.archive(games.MAT0, {"BLINK": bytes(resources.material())}),
        "wear.rlb": games.archive(games.WEAR, {"stone.wea": resources.WEAR}),
        "packed.lib": packed(),
        "lit.msh": _lit(),
        "letters.tft": _font(),
        "MISSIONS/sky.ske": skies.SKY,
        "MAPS/Land.map": nres.build([areals]),
    }


def write(folder: Path) -> Path:
    """Write a folder like the corpora: two games, and damaged files of every kind."""
    field = folder / "field" / "game"
    shutil.copytree(GAME, field)
    seeds = {**files(), "robots.rlb": (GAME / "seed.rlb").read_bytes(), "sprites.lib": packed()}
    fields = {"robots.rlb": (GAME / "models.rlb").read_bytes(), "sprites.lib": packed()[:-1] + b"?"}
    damaged = {
        f"{name.rpartition('.')[2]}/{number}-{name.replace('/', '-')}": mutant(data, b"", number)
        for name, data in files().items()
        for number in range(8)
    }
    for place, made in ((folder / "seed" / "game", seeds), (field, fields), (folder / "damaged", damaged)):
        for name, data in made.items():
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    damaged_files.write(folder / "damaged")
    return folder


def packed() -> bytes:
    """A packed library with a member of each method, and a texture."""
    members = [(name, method, TEXT) for name, method in METHODS.items()]
    members.append(("STONE.TEX", 0x040, bytes(resources.texture())))
    return bytes(
        libraries.library(
            [
                (name.encode(), method, len(data), rsli_edit.pack(data, method, index))
                for index, (name, method, data) in enumerate(sorted(members))
            ]
        )
    )


def _indexed() -> bytes:
    picture = np.arange(256, dtype=np.uint8).reshape(8, 8, 4)
    return texm.build(picture, PixelFormat.INDEXED, pages=[(0, 0, 8, 8)])


def _lit() -> bytes:
    """A model with a light probe."""
    builder = models.still()
    builder.tables[LIGHT_PROBES] = LIGHT_PROBE.new(1).tobytes()
    return builder.build()


def _font() -> bytes:
    header, glyphs = font.HEADER.new(), font.GLYPH.new(font.GLYPH_COUNT)
    header["magic"] = font.MAGIC
    return header.tobytes() + glyphs.tobytes() + _indexed()
