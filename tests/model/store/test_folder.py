"""Folders as the game sees them."""

from __future__ import annotations

from pathlib import Path

import pytest

from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import CaselessFolder


@pytest.fixture
def folder(tmp_path: Path) -> CaselessFolder:
    (tmp_path / "Maps" / "Syn").mkdir(parents=True)
    (tmp_path / "Material.LIB").write_bytes(b"materials")
    (tmp_path / "Maps" / "Syn" / "Land.msh").write_bytes(b"land")
    return CaselessFolder(tmp_path, FileStore())


@pytest.mark.parametrize(
    ("name", "data"),
    [
        (b"material.lib", b"materials"),
        (b"MATERIAL.LIB", b"materials"),
        (rb"maps\SYN\land.msh", b"land"),
        (b"maps/syn/Land.msh", b"land"),
        (b"Maps", None),
        (b"textures.lib", None),
        (b"maps/other/land.msh", None),
        (b"", None),
    ],
)
def test_names_do_not_mind_case_or_slashes(folder: CaselessFolder, name: bytes, data: bytes | None) -> None:
    found = folder.read(name)
    assert (None if found is None else bytes(found)) == data


def test_a_library_of_the_first_edition_stands_for_an_absent_one(folder: CaselessFolder) -> None:
    (folder.path / "TEXTURES.LIB0").write_bytes(b"old textures")
    (folder.path / "Material.lib0").write_bytes(b"old materials")
    (folder.path / "Maps" / "a.rlb0").write_bytes(b"not a library")
    found = {name: folder.read(name) for name in (b"Textures.lib", b"Material.lib", b"Maps/a.rlb")}
    assert {name: data and bytes(data) for name, data in found.items()} == {
        b"Textures.lib": b"old textures",
        b"Material.lib": b"materials",
        b"Maps/a.rlb": None,
    }
    assert [*folder.revisions([b"textures.lib"])] == [folder.path / "TEXTURES.LIB0"]


@pytest.mark.parametrize("name", [b"../Material.lib", rb"..\Material.lib", b"/Material.lib", b"./Land.msh"])
def test_no_name_leads_out_of_the_folder(folder: CaselessFolder, name: bytes) -> None:
    inner = folder.child(b"maps")
    assert inner is not None
    assert inner.file(name) is None


def test_of_names_that_differ_in_case_the_first_is_meant(tmp_path: Path) -> None:
    for name in ("a.lib", "A.lib"):
        (tmp_path / name).write_bytes(name.encode())
    found = CaselessFolder(tmp_path, FileStore()).read(b"a.LIB")
    assert found is not None
    assert bytes(found) in {b"A.lib", b"a.lib"}


def test_a_folder_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert CaselessFolder(tmp_path / "lost", FileStore()).read(b"a") is None
