"""Manifests, folders and zips: what is refused before anything is read or written outside."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from tests import game_folders
from tests.mod_games import contents, diffuse, entries, file, manifest, mod, write_game
from viewer.errors import MshviewError
from viewer.formats.archive import nres
from viewer.model.write.zipping import zip_of
from viewer.operations.mods import package
from viewer.operations.mods.copying import write_copy
from viewer.operations.mods.game_files import GameFiles
from viewer.operations.mods.making import make_mod
from viewer.operations.mods.manifest import MANIFEST, ModManifest
from viewer.operations.mods.package import Mod, files_of, open_mod
from viewer.operations.mods.plan import ModPlan
from viewer.operations.mods.writing import write_mod

ADD: Final = {"address": "a.txt", "add": "a.txt"}


def written(folder: Path, document: object, **files: bytes) -> Path:
    folder.mkdir()
    (folder / MANIFEST).write_text(document if isinstance(document, str) else json.dumps(document), "utf-8")
    for name, data in files.items():
        (folder / name.replace("_", ".")).write_bytes(data)
    return folder


def refusal(path: Path) -> str:
    """Why a mod is refused, when it is opened or when its files are read."""
    with pytest.raises(MshviewError) as caught:
        [*files_of(open_mod(path))]
    return str(caught.value)


MANIFESTS: Final[Mapping[str, tuple[object, str]]] = {
    "no JSON": ("{", "line 1"),
    "a list": ("[]", "not an object"),
    "another schema": ({"schema": "mshview-mod-2", "name": "x"}, "schema: is not mshview-mod-1"),
    "no name": ({"schema": "mshview-mod-1"}, "name: is missing"),
    "an empty name": (manifest("", []), "name"),
    "a name of two lines": (manifest("a\nb", []), "one line"),
    "an unknown member": (manifest("x", [], more=1), "more: is unknown here"),
    "an unknown member of a change": (manifest("x", [{**ADD, "more": 1}]), "changes[0].more"),
    "a change of two kinds": (manifest("x", [{**ADD, "remove": True}]), "changes[0].remove"),
    "a change of no kind": (manifest("x", [{"address": "a"}]), "changes[0]"),
    "a remove that is not true": (manifest("x", [{"address": "a", "remove": 1}]), "changes[0].remove"),
    "a member twice": ('{"schema": "mshview-mod-1", "name": "x", "name": "y"}', "there twice"),
    "a member of a change twice": (
        '{"schema": "mshview-mod-1", "name": "x", "changes": [{"address": "a", "add": "a", "add": "b"}]}',
        "there twice",
    ),
    "an address twice": (manifest("x", [ADD, {**ADD, "address": "A.TXT"}]), "changes[1].address"),
    "an address out of the game": (manifest("x", [{**ADD, "address": "../a"}]), "changes[0].address"),
    "an address with a drive": (manifest("x", [{**ADD, "address": "C:a"}]), "changes[0].address"),
    "an absolute address": (manifest("x", [{**ADD, "address": "/a"}]), "changes[0].address"),
    "an address with a backslash": (manifest("x", [{**ADD, "address": "a\\b"}]), "changes[0].address"),
    "an address inside of the journal": (
        manifest("x", [{**ADD, "address": ".MSHVIEW-mods/state.json"}]),
        "kept by this program",
    ),
    "a path out of the mod": (manifest("x", [{**ADD, "add": "../../secret"}]), "changes[0].add"),
    "a path with a NUL": (manifest("x", [{**ADD, "add": "a\0"}]), "changes[0].add"),
    "an odd digest": (manifest("x", [], base=[{"address": "a", "sha256": "ABC"}]), "base[0].sha256"),
    "a number for a text": (manifest("x", [], version=1), "version"),
    "a file that is missing": (manifest("x", [{**ADD, "add": "none"}]), "none"),
    "a folder for a file": (manifest("x", [{**ADD, "add": "."}]), "changes[0].add"),
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_that_is_refused(tmp_path: Path, name: str) -> None:
    document, expected = MANIFESTS[name]
    assert expected in refusal(written(tmp_path / "x", document, a_txt=b"1"))


def test_a_manifest_is_read_as_it_is_written() -> None:
    text = json.dumps(manifest("имя", [ADD, {"address": "b::c::#3", "patch": "p"}], needs=["x"], version="1"))
    found = ModManifest.parse(text.encode())
    assert ModManifest.parse(found.encode()) == found
    assert json.loads(found.encode())["changes"][1] == {"address": "b::c::#3", "patch": "p"}


@pytest.mark.skipif(os.name == "nt", reason="no pipes in folders, links only for developers")
def test_a_link_is_followed_inside_of_a_mod_only(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    inside = written(tmp_path / "in", manifest("x", [ADD]))
    (inside / "b.txt").write_bytes(b"b")
    (inside / "a.txt").symlink_to("b.txt")
    assert open_mod(inside).file("a.txt") == b"b"
    outside = written(tmp_path / "out", manifest("x", [ADD]))
    (outside / "a.txt").symlink_to("../secret")
    assert "leads out" in refusal(outside)
    further = written(tmp_path / "further", manifest("x", [{**ADD, "add": "up/secret"}]))
    (further / "up").symlink_to("..")
    assert "leads out" in refusal(further)


@pytest.mark.skipif(os.name == "nt", reason="no pipes in folders, links only for developers")
def test_a_pipe_in_a_mod_is_not_waited_for(tmp_path: Path) -> None:
    folder = written(tmp_path / "x", manifest("x", [ADD]))
    os.mkfifo(folder / "a.txt")
    assert "not a regular file" in refusal(folder)


def packed(path: Path, members: Mapping[str, bytes | zipfile.ZipInfo], document: object) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(MANIFEST, json.dumps(document))
        for name, data in members.items():
            file.writestr(*((data, b"b.txt") if isinstance(data, zipfile.ZipInfo) else (name, data)))
    return path


def link() -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("a.txt")
    info.external_attr = 0o120777 << 16
    return info


ZIPS: Final[Mapping[str, tuple[Mapping[str, Any], str]]] = {
    "a link": ({"": link()}, "is a link"),
    "a path out of it": ({"../a.txt": b"", "a.txt": b"1"}, "not a path inside"),
    "an absolute path": ({"/a.txt": b"", "a.txt": b"1"}, "not a path inside"),
    "a name twice": ({"a.txt": b"1", "A.TXT": b"2"}, "there twice"),
    "a file that is missing": ({}, "is not in the mod"),
}


@pytest.mark.parametrize("name", ZIPS)
def test_a_zip_that_is_refused(tmp_path: Path, name: str) -> None:
    members, expected = ZIPS[name]
    assert expected in refusal(packed(tmp_path / "x.zip", members, manifest("x", [ADD])))


def test_a_zip_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By what is read, whatever its directory states; several members together too."""
    monkeypatch.setattr(package, "SIZE_LIMIT", 1 << 20)
    monkeypatch.setattr(package, "MOST_BYTES", 1 << 21)
    bomb = packed(tmp_path / "one.zip", {"a.txt": bytes(1 << 24)}, manifest("x", [ADD]))
    assert bomb.stat().st_size < 1 << 16
    assert "more than 1048576 bytes" in refusal(bomb)
    changes = [{"address": f"{n}", "add": f"{n}"} for n in range(4)]
    many = packed(tmp_path / "many.zip", {f"{n}": bytes(1 << 20) for n in range(4)}, manifest("x", changes))
    assert "more than 2097152 bytes" in refusal(many)
    monkeypatch.setattr(package, "MOST_MEMBERS", 3)
    assert "more than 3 files" in refusal(many)


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def flipped(data: bytes) -> bytes:
    """The packed bytes of a member changed, its directory whole."""
    place = data.index(b"a.txt") + 5
    return data[:place] + bytes(it ^ 0xFF for it in data[place : place + 20]) + data[place + 20 :]


@pytest.mark.parametrize("damage", [cut, flipped, lambda _data: b"", lambda data: data[:4] + data])
def test_a_damaged_zip_is_one_error(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = packed(tmp_path / "x.zip", {"a.txt": bytes(range(256)) * 9}, manifest("x", [ADD]))
    path.write_bytes(damage(path.read_bytes()))
    found: object = None
    try:
        found = dict(files_of(open_mod(path)))["a.txt"]
    except MshviewError as error:
        found = str(error)
    # Bytes before a zip are no damage: programs that unpack themselves have some.
    assert found == bytes(range(256)) * 9 or str(path) in str(found)


def test_an_encrypted_zip_is_one_error(tmp_path: Path) -> None:
    path = packed(tmp_path / "x.zip", {"a.txt": b"1"}, manifest("x", [ADD]))
    data = bytearray(path.read_bytes())
    for magic, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        start = data.rindex(magic)
        data[start + place] |= 1  # the flag of encryption
    path.write_bytes(data)
    assert "unpacked" in refusal(path)


def outcome(game: Path, made: Mod, name: str) -> dict[str, bytes]:
    write_copy(ModPlan.of(GameFiles(game), [made]), game.with_name(name))
    return contents(game.with_name(name))


def test_a_folder_and_a_zip_are_one_mod(tmp_path: Path) -> None:
    """Written by this program or by another one, which packs the folder with its name."""
    game = write_game(tmp_path / "game")
    made = mod(game, "one", entries("Material.lib", SKIN=diffuse(7)), file("DATA/old.cfg", None))
    new = make_mod(GameFiles(game), GameFiles(tmp_path / "one-game"), ModManifest("one"))
    write_mod(new, tmp_path / "one.zip")
    other = Path(shutil.make_archive(str(tmp_path / "theirs"), "zip", tmp_path, "one"))
    expected = outcome(game, made, "a")
    for number, path in enumerate((tmp_path / "one.zip", other)):
        found = open_mod(path)
        assert found.digest == made.digest
        assert outcome(game, found, f"zip{number}") == expected
    assert zip_of(files_of(made)) == (tmp_path / "one.zip").read_bytes()
    with zipfile.ZipFile(io.BytesIO(zip_of(files_of(made)))) as opened:
        assert opened.namelist()[0] == MANIFEST


ODD: Final[Mapping[str, Mapping[str, object]]] = {
    "an entry of a file that is not an archive": {"address": "DATA/old.cfg::x", "add": "a.txt"},
    "a name that is too long": {"address": f"Material.lib::{'x' * 36}", "add": "a.txt"},
    "a name that is not in CP1251": {"address": "Material.lib::日", "add": "a.txt"},
    "an entry of a packed library": {"address": "lib.rsl::NEW", "add": "a.txt"},
    "a patch that is none": {"address": "DATA/old.cfg", "patch": "a.txt"},
    "a file in place of a folder": {"address": "DATA", "add": "a.txt"},
    "a file below a file": {"address": "DATA/old.cfg/x", "add": "a.txt"},
}


@pytest.mark.parametrize("name", ODD)
def test_what_no_game_can_hold_is_one_error(tmp_path: Path, name: str) -> None:
    game = write_game(tmp_path / "game")
    before = contents(game)
    odd = open_mod(written(tmp_path / "x", manifest("x", [ODD[name]]), a_txt=b"1"))
    with pytest.raises(MshviewError):
        outcome(game, odd, "copy")
    assert contents(game) == before
    assert not (tmp_path / "copy").exists()


def test_a_patch_with_an_unknown_member_is_refused(tmp_path: Path) -> None:
    game = write_game(tmp_path / "game")
    made = mod(game, "one", entries("Material.lib", SKIN=diffuse(7)))
    (patch,) = (made.source / "patches").iterdir()
    good = patch.read_text("utf-8")
    for bad in (good.replace('"row"', '"more": 1, "row"'), good.replace('"row"', '"row": 0, "row"')):
        patch.write_text(bad, "utf-8")
        with pytest.raises(MshviewError, match=re.escape(f"patches/{patch.name}")):
            outcome(game, made, "copy")


def test_entries_of_archives_in_archives(tmp_path: Path) -> None:
    """By hand, as mods that are made have patches of the inner archive."""
    game = write_game(tmp_path / "game")
    inner = (game / "LightMap.lib").read_bytes()
    (game / "outer.rlb").write_bytes(nres.build([nres.NewEntry(0, inner, b"inner.lib")]))
    changes: list[Mapping[str, object]] = [
        {"address": "outer.rlb::INNER.lib::new.0", "add": "a.txt"},
        {"address": "OUTER.rlb::inner.lib::hall.0", "remove": True},
    ]
    odd = open_mod(written(tmp_path / "x", manifest("x", changes), a_txt=game_folders.texture()))
    found = outcome(game, odd, "copy")["outer.rlb"]
    archive = nres.Archive.read(nres.Archive.read(found).payload(0))
    assert [it.text for it in archive.entries] == ["new.0"]
    assert bytes(archive.payload(0)) == game_folders.texture()


@pytest.mark.skipif(os.name == "nt", reason="no pipes in folders, links only for developers")
def test_a_link_out_of_the_game_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    game = write_game(tmp_path / "game")
    (game / "out").symlink_to("../elsewhere")
    (game / "file").symlink_to("../elsewhere/file")
    (tmp_path / "elsewhere" / "file").write_bytes(b"theirs")
    for address in ("out/new.txt", "file"):
        odd = open_mod(
            written(tmp_path / "x", manifest("x", [{"address": address, "add": "a.txt"}]), a_txt=b"1")
        )
        with pytest.raises(MshviewError, match="leads out"):
            outcome(game, odd, "copy")
        shutil.rmtree(tmp_path / "x")
    assert contents(tmp_path / "elsewhere") == {"file": b"theirs"}
