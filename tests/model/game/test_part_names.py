"""What the game calls its parts: by key, by the model that the registry names, and what is not there."""

from __future__ import annotations

from pathlib import Path

from tests.broken import games
from viewer.formats import objects
from viewer.formats.archive.nres import Archive
from viewer.model.game.part_names import NO_NAMES, PartName, PartNames, names_around
from viewer.model.store.file_store import FileStore

CANNON = PartName("Large cannon", "L88")
SHIP = PartName("Ship", "")


def game(folder: Path) -> Path:
    described = {"e_gun_bl_01": b"#1L88\r\n#2Large cannon\r\n", "ship": b"#2Ship\r\n", "nameless": b"#1X\r\n"}
    (folder / "objects.dlb").write_bytes(games.archive(int.from_bytes(b"DSCR", "little"), described))
    registry = {"E_GUN_bl_01": objects.build([(b"guns.rlb", b"barrel.msh")])}
    (folder / "objects.rlb").write_bytes(games.archive(0, registry))
    return folder


def test_keys_models_and_what_has_no_name(tmp_path: Path) -> None:
    names = PartNames.of(FileStore(), game(tmp_path))
    assert (names.of_key(b"E_GUN_BL_01.msh"), names.of_key(b"ship"), len(names)) == (CANNON, SHIP, 2)
    assert names.of_model(b"GUNS.rlb", b"Barrel.msh") == CANNON
    assert names.of_model(b"", b"barrel.msh") == CANNON
    assert names.of_model(b"other.rlb", b"barrel.msh") is None
    assert names.of_model(b"other.rlb", b"ship.msh") == SHIP
    assert names.of_key(b"nameless") is None
    assert (str(CANNON), str(SHIP)) == ("Large cannon (L88)", "Ship")


def test_the_entries_of_archives(tmp_path: Path) -> None:
    names = PartNames.of(FileStore(), game(tmp_path))
    guns = Archive.read(games.archive(0, {"x.wea": b"", "barrel.msh": b"", "ship.msh": b"", "ship": b""}))
    assert names.in_archive(b"guns.rlb", guns) == {1: CANNON, 2: SHIP}
    assert names.in_archive(b"other.rlb", guns) == {2: SHIP}
    registry = Archive.read((tmp_path / "objects.rlb").read_bytes())
    assert names.in_archive(b"Objects.rlb", registry) == {0: CANNON}


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    store = FileStore()
    assert names_around(store, game(tmp_path) / "guns.rlb").of_key(b"ship") == SHIP
    renamed = games.archive(int.from_bytes(b"DSCR", "little"), {"ship": b"#2Renamed ship\r\n"})
    (tmp_path / "objects.dlb").write_bytes(renamed)
    assert PartNames.of(store, tmp_path).of_key(b"ship") == PartName("Renamed ship", "")


def test_no_game_has_no_names(tmp_path: Path) -> None:
    assert names_around(FileStore(), tmp_path / "a.rlb") is NO_NAMES
    (tmp_path / "objects.dlb").write_bytes(b"NRes?")
    assert len(PartNames.of(FileStore(), tmp_path)) == 0
