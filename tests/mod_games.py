"""A game of several archives, folders of it in which something differs, and mods made of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from tests import game_folders
from tests.broken.libraries import library
from tests.builders import ModelBuilder, Node, archive_of, box
from viewer.formats import mat0
from viewer.formats.archive import nres, nres_edit, rsli, rsli_edit
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.splice import Splice, applied
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.mods.game_files import GameFiles
from viewer.operations.mods.making import make_mod
from viewer.operations.mods.manifest import ModManifest
from viewer.operations.mods.package import Mod, open_mod
from viewer.operations.mods.writing import write_mod

Change = Callable[[Path], object]
"""What makes another game of a folder."""
SKIN: Final = game_folders.SKIN


def material(diffuse: tuple[int, int, int] = (255, 255, 255), texture: bytes = b"GRADED.0") -> bytes:
    return mat0.build([PhaseRecord(texture, diffuse=diffuse)])


def model() -> bytes:
    nodes = [Node("hull", shapes={(0, 0): [box()]}), Node("gun", 0, {(0, 0): [box((2, 1, 1))]})]
    return ModelBuilder.of(nodes).build()


def write_game(folder: Path) -> Path:
    """A game: materials, textures and models in archives, a packed library, files in folders."""
    game_folders.write(folder)
    (folder / "models.rlb").write_bytes(archive_of({"tank.msh": model(), "note": b"a note of the models"}))
    (folder / "lib.rsl").write_bytes(library())
    (folder / "DATA" / "Inner").mkdir(parents=True)
    (folder / "DATA" / "Inner" / "readme.txt").write_bytes(b"read me, please")
    (folder / "DATA" / "old.cfg").write_bytes(b"old = 1\n")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a folder, whatever they are called."""
    return {it.relative_to(folder).as_posix(): it.read_bytes() for it in folder.rglob("*") if it.is_file()}


def folders(folder: Path) -> set[str]:
    return {it.relative_to(folder).as_posix() for it in folder.rglob("*") if it.is_dir()}


def changed(game: Path, name: str, *changes: Change) -> Path:
    """A copy of a game next to it, with changes."""
    other = game.with_name(name)
    shutil.copytree(game, other)
    for change in changes:
        change(other)
    return other


def entries(archive: str, **payloads: bytes | None) -> Change:
    """Entries of an archive replaced, added or, for None, removed."""

    def change(game: Path) -> None:
        path = game / archive
        found = nres.Archive.read(path.read_bytes())
        edit = nres_edit.Edit(found)
        removed = []
        for name, payload in payloads.items():
            row = found.find(name.encode())
            if row is None:
                assert payload is not None
                edit.add(nres.NewEntry(game_folders.MAT0, payload, name.encode(), 2, mat0.VERSION))
            elif payload is None:
                removed.append(row)
            else:
                edit.replace(row, payload)
        for row in sorted(removed, reverse=True):
            edit.remove(row)
        path.write_bytes(edit.encode())

    return change


def member(index: int, payload: bytes) -> Change:
    """A member of the packed library replaced."""

    def change(game: Path) -> None:
        path = game / "lib.rsl"
        path.write_bytes(rsli_edit.rewrite(rsli.PackedLibrary.read(path.read_bytes()), {index: payload}))

    return change


def file(name: str, data: bytes | None) -> Change:
    """A file replaced, added or, for None, removed."""

    def change(game: Path) -> None:
        path = game / name
        if data is None:
            path.unlink()
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    return change


def number(archive: str, entry: str, field: str, value: int) -> Change:
    """A number of an entry in the directory of an archive."""

    def change(game: Path) -> None:
        path = game / archive
        found = nres.Archive.read(path.read_bytes())
        rows = found.rows.copy()
        rows[found.find(entry.encode())][field] = value
        start = found.directory_offset
        path.write_bytes(applied(found.data, (Splice(start, bytes(found.data[start:]), rows.tobytes()),)))

    return change


def tank(offset_of: str, value: bytes) -> Change:
    """Bytes of the model replaced, at an offset from those of a text in it."""

    def change(game: Path) -> None:
        path = game / "models.rlb"
        data = bytearray(path.read_bytes())
        place = data.index(offset_of.encode())
        data[place : place + len(value)] = value
        path.write_bytes(data)

    return change


def mod(
    game: Path, name: str, *changes: Change, needs: tuple[str, ...] = (), base: Path | None = None
) -> Mod:
    """A mod of what changes make of a game, or of another base; made and opened again."""
    other = changed(base or game, f"{name}-game", *changes)
    made = make_mod(GameFiles(base or game), GameFiles(other), ModManifest(name, needs=needs))
    write_mod(made, game.with_name(name))
    return open_mod(game.with_name(name))


def payload(game: Path, address: str) -> bytes:
    """The bytes at an address of a game."""
    found = Address.parse(address)
    return bytes(FileStore().open(replace(found, path=game / found.path)).data)


def manifest(name: str, changes: Sequence[Mapping[str, object]], **more: object) -> Mapping[str, object]:
    """The JSON of a manifest."""
    return {"schema": "mshview-mod-1", "name": name, "changes": changes, **more}


def diffuse(red: int) -> bytes:
    """The payload of the material SKIN with another color."""
    return material((red, 0, 0))
