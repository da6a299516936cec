"""Which game folder serves a file, and why that one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import game_folders
from viewer.model.game import game_folder
from viewer.model.game.game_folder import GameOrigin, GameSource
from viewer.model.game.registry import LIBRARIES
from viewer.model.store.file_store import FileStore


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A game with a folder below it."""
    folder = game_folders.write(tmp_path / "game")
    (folder / "DATA").mkdir()
    return folder


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Another game."""
    return game_folders.write(tmp_path / "other")


def test_a_game_around_the_file_goes_before_the_one_that_is_set(game: Path, other: Path) -> None:
    above = game_folder.find(FileStore(), game / "DATA" / "a.msh", set_folder=other)
    beside = game_folder.find(FileStore(), game / "a.msh", set_folder=other)
    assert above == GameSource(game, GameOrigin.ABOVE)
    assert beside == GameSource(game, GameOrigin.BESIDE)
    assert above.text.startswith(f"{game} (")


def test_the_game_that_is_set_serves_files_outside_any(tmp_path: Path, other: Path) -> None:
    assert game_folder.find(FileStore(), tmp_path / "a.msh", set_folder=other) == GameSource(
        other, GameOrigin.SET
    )
    nowhere = game_folder.find(FileStore(), tmp_path / "a.msh")
    assert (nowhere.folder, nowhere.origin) == (None, None)
    assert str(tmp_path) in nowhere.problem


def test_the_game_named_for_a_file_goes_before_all(game: Path, other: Path, tmp_path: Path) -> None:
    found = game_folder.find(FileStore(), game / "a.msh", given=other, set_folder=tmp_path)
    assert found == GameSource(other, GameOrigin.GIVEN)


@pytest.mark.parametrize("name", ["gone", "x" * 300, "a.msh/below"])
def test_a_set_folder_that_is_gone_is_named_but_only_where_it_would_serve(
    tmp_path: Path, game: Path, name: str
) -> None:
    gone = tmp_path / name
    lost = game_folder.find(FileStore(), tmp_path / "a.msh", set_folder=gone)
    assert (lost.folder, lost.origin) == (None, None)
    assert str(gone) in lost.text
    assert game_folder.find(FileStore(), game / "a.msh", set_folder=gone).problem == ""


@pytest.mark.parametrize("name", LIBRARIES)
def test_any_library_makes_a_game_folder(tmp_path: Path, name: bytes) -> None:
    (tmp_path / name.decode().upper()).write_bytes(b"")
    assert game_folder.find(FileStore(), tmp_path / "a.msh").folder == tmp_path


def test_a_stray_library_does_not_hide_the_game_above_it(game: Path) -> None:
    (game / "DATA" / "Textures.lib").write_bytes(b"")
    assert game_folder.find(FileStore(), game / "DATA" / "a.msh") == GameSource(game, GameOrigin.ABOVE)
    (game / "DATA" / "Material.lib").write_bytes(b"")
    assert game_folder.find(FileStore(), game / "DATA" / "a.msh").folder == game / "DATA"


def test_a_folder_of_that_name_makes_none(tmp_path: Path) -> None:
    (tmp_path / "Textures.lib").mkdir()
    assert game_folder.find(FileStore(), tmp_path / "a.msh").folder is None


def test_an_inventory_names_what_is_there_and_what_is_not(game: Path) -> None:
    (game / "Textures.lib").rename(game / "TEXTURES.LIB")
    (game / "LightMap.lib").unlink()
    found = game_folder.take_inventory(FileStore(), game)
    assert found.present == ("Material.lib", "Textures.lib")
    assert found.missing == ("LightMap.lib", "palettes.lib", "objects.rlb")
    assert found.problem == ""


def test_the_inventory_of_a_folder_that_is_gone_says_so(tmp_path: Path) -> None:
    found = game_folder.take_inventory(FileStore(), tmp_path / "gone")
    assert (found.present, len(found.missing)) == ((), 5)
    assert str(tmp_path / "gone") in found.problem
