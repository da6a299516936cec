"""Small game folders for tests of materials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from tests.builders import ModelBuilder, Node, box
from viewer.formats import mat0, wear
from viewer.formats.archive import nres
from viewer.formats.archive.nres import NewEntry
from viewer.formats.mat0 import PhaseRecord, block
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.material.lookup import MaterialLookup
from viewer.model.material.materials import Material, Materials
from viewer.model.material.selectors import WearTable
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.opened import opened_resource
from viewer.session.opened.document import Document

MAT0 = int.from_bytes(b"MAT0", "little")
TEXM = int.from_bytes(b"Texm", "little")
SKIN, SEE_THROUGH, ADDITIVE = 2, 4, 8


def texture(
    alpha: Sequence[int] = (255,),
    pixel_format: PixelFormat = PixelFormat.ARGB8888,
    pages: Sequence[tuple[int, int, int, int]] = (),
) -> bytes:
    """Eight by eight white pixels whose alphas repeat."""
    rgba = np.full((8, 8, 4), 255, np.uint8)
    rgba[..., 3] = np.resize(np.array(alpha, np.uint8), (8, 8))
    return texm.build(rgba, pixel_format, pages=pages)


def archive(type_id: int, entries: Mapping[str, bytes | tuple[int, bytes]]) -> bytes:
    """An archive of payloads, or of flags (attr1) and payloads."""
    pairs = [(name, *(item if isinstance(item, tuple) else (0, item))) for name, item in entries.items()]
    return nres.build(
        NewEntry(type_id, data, name.encode(), attr1=attr1, attr2=mat0.VERSION) for name, attr1, data in pairs
    )


RED, GREEN, BLUE = (
    PhaseRecord(ambient=color, diffuse=color) for color in ((255, 0, 0), (0, 255, 0), (0, 0, 255))
)
"""Phases without a texture that are told apart by their color."""

MATERIALS: Mapping[str, bytes | tuple[int, bytes]] = {
    "FIRST": mat0.build([PhaseRecord(b"PLAIN.0")]),
    "DEFAULT": mat0.build([PhaseRecord(b"PLAIN.0")]),
    "SKIN": (SKIN, mat0.build([PhaseRecord(b"GRADED.0")])),
    "LEAVES": (SEE_THROUGH, mat0.build([PhaseRecord(b"CUT.0")])),
    "GLASS": (SEE_THROUGH, mat0.build([PhaseRecord(b"GRADED.0")])),
    "GLOW": (ADDITIVE, mat0.build([PhaseRecord(diffuse=(0, 0, 0), ambient=(255, 255, 255))])),
    "ATLAS": mat0.build([PhaseRecord(b"atlas.0", page=page) for page in (-1, 1, 2, 3)]),
    "LOST": mat0.build([PhaseRecord(b"NOWHERE.0"), PhaseRecord(b"NODOT")]),
    "EMPTY": mat0.build([]),
    "CUT": b"\1\0",
    "ODD": (0x3C, mat0.build([PhaseRecord()])),
    "BLINK": mat0.build([RED, BLUE], [block(0, 0, [(0, 200), (1, 500)])]),
    "DUO": mat0.build(
        [RED, GREEN, BLUE],
        [block(0, 0, [(0, 300)]), block(1, 0, [(1, 400), (2, 1000)]), block(3, 0, [(0, 100), (1, 200)])],
    ),
}

TEXTURES: Mapping[str, bytes] = {
    "PLAIN.0": texture(),
    "GRADED.0": texture(range(0, 256, 4)),
    "CUT.0": texture((0, 255)),
    "ATLAS.0": texture(pages=[(0, 0, 4, 4), (4, 4, 9, 2), (8, 0, 4, 4)]),
    "INDEXED.B2": texture(pixel_format=PixelFormat.INDEXED),
    "BROKEN.0": TEXM.to_bytes(4, "little"),
    "SHORT.0": texture()[:40],
}


def files() -> dict[str, bytes]:
    """The libraries of a game folder."""
    return {
        "Material.lib": archive(MAT0, MATERIALS),
        "Textures.lib": archive(TEXM, TEXTURES),
        "LightMap.lib": archive(TEXM, {"HALL.0": texture(pixel_format=PixelFormat.RGB565)}),
    }


def write(folder: Path, **changed: bytes | None) -> Path:
    """Write a game folder with some files replaced, by stem, or left out; return the folder."""
    folder.mkdir(exist_ok=True)
    for name, data in files().items():
        content = changed.get(Path(name).stem, data)
        if content is not None:
            (folder / name).write_bytes(content)
    return folder


def wear_of(names: Sequence[bytes], lightmaps: Sequence[bytes] = ()) -> WearTable:
    """A wear table with some names."""
    return WearTable(Address.parse("a.wea"), wear.decode(wear.build(names, lightmaps)))


def materials_of(
    model: Model, table: WearTable, folder: Path | None = None, requested: ReadingChoice = ReadingChoice.AUTO
) -> Materials:
    """The materials of a model whose wear table lies beside it, in a game folder or in none."""
    libraries = None if folder is None else MaterialLookup(folder, FileStore())
    return Document.of(Address.parse("a.msh"), model, requested, [table], libraries).materials


def drawn_with(name: bytes, folder: Path, *, flags: int = 0, **changed: bytes | None) -> Material:
    """What a model of one batch is drawn with that asks for a material of a game folder, written here."""
    model = ModelBuilder.of([Node("a", shapes={(0, 0): [box(flags=flags)]})]).model()
    (material,) = materials_of(model, wear_of([name]), write(folder, **changed)).rows
    return material


def resource_at(address: Address, game: Path | None = None) -> opened_resource.OpenedResource:
    """The payload at an address as it is opened, with the names of a game folder."""
    library = FileStore()
    return opened_resource.read(library, library.open(address), game)
