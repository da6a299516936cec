"""A game folder with one model in it, and that model as the program opens it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.builders import ModelBuilder, Node, archive_of
from tests.game_folders import MAT0, TEXM, archive
from viewer.formats import wear
from viewer.formats.archive import nres
from viewer.formats.archive.nres import NewEntry
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.session.opened.document import Document

PAL = int.from_bytes(b"PAL\0", "little")


def libraries(
    materials: Mapping[str, bytes | tuple[int, bytes]],
    textures: Mapping[str, bytes],
    lightmaps: Mapping[str, bytes] | None = None,
    palettes: Mapping[str, bytes] | None = None,
) -> dict[str, bytes]:
    """The four libraries of a game folder, materials with their flags (attr1)."""
    colors = (NewEntry(PAL, data, name.encode()) for name, data in (palettes or {}).items())
    return {
        "Material.lib": archive(MAT0, materials),
        "Textures.lib": archive(TEXM, textures),
        "LightMap.lib": archive(TEXM, lightmaps or {}),
        "palettes.lib": nres.build(colors),
    }


def write(
    folder: Path,
    scene: Sequence[Node] | ModelBuilder,
    names: Sequence[str],
    files: Mapping[str, bytes],
    lightmaps: Sequence[str] = (),
) -> Address:
    """Write a folder with a model whose wear table has these names; return the model's address."""
    builder = scene if isinstance(scene, ModelBuilder) else ModelBuilder.of(scene)
    table = wear.build([name.encode() for name in names], [name.encode() for name in lightmaps])
    folder.mkdir(exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    (folder / "a.rlb").write_bytes(archive_of({"a.msh": builder.build(), "a.wea": table}))
    return Address(folder / "a.rlb", ("a.msh",))


def document(
    folder: Path,
    scene: Sequence[Node] | ModelBuilder,
    names: Sequence[str],
    files: Mapping[str, bytes],
    lightmaps: Sequence[str] = (),
) -> Document:
    """The same, opened."""
    return Document.open(FileStore(), Source(write(folder, scene, names, files, lightmaps)))
