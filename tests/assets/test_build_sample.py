"""The committed game folder is what the script writes, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets.build_sample import main

LIMIT = 4_000_000


def _files(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The folder as the script writes it now."""
    folder = tmp_path_factory.mktemp("game")
    main(folder)
    return _files(folder)


def test_the_script_writes_the_committed_files(built: dict[str, bytes], game: Path) -> None:
    committed = _files(game)
    assert sorted(built) == sorted(committed)
    assert [name for name in built if built[name] != committed[name]] == []


def test_the_folder_is_small(game: Path) -> None:
    assert sum(map(len, _files(game).values())) < LIMIT


def test_the_folder_has_the_places_of_a_game(game: Path) -> None:
    requested = {"Material.lib", "Textures.lib", "LightMap.lib", "palettes.lib", "objects.rlb"}
    assert requested <= set(_files(game))
