"""Where names lead."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import sound_game
from viewer.model.references.names import ResourceName
from viewer.model.references.targets import Targets
from viewer.model.store.file_store import FileStore


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sound_game.write(tmp_path_factory.mktemp("game"))


@pytest.mark.parametrize(
    ("name", "address"),
    [
        (ResourceName("texm", b"stone.0"), "Textures.lib::STONE.0"),
        (ResourceName("lightmap", b"hall.a0"), "LightMap.lib::HALL.A0"),
        (ResourceName("mat0", b"Default"), "Material.lib::DEFAULT"),
        (ResourceName("archive", b"STATIC.RLB"), "static.rlb"),
        (ResourceName("entry", b"TREE", b"Static.rlb"), "static.rlb::tree.msh"),
        (ResourceName("entry", b"Oak", b"objects.rlb"), "objects.rlb::oak"),
        (ResourceName("entry", b"Boom.wav", b"SOUNDS.LIB"), "sounds.lib::boom.wav"),
    ],
)
def test_a_name_leads_to_an_entry_whatever_its_case(game: Path, name: ResourceName, address: str) -> None:
    place = Targets(FileStore(), game).find(name).place
    assert place is not None
    assert place.address == f"{game}/{address}"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (ResourceName("texm", b"GHOST.0"), "'GHOST.0' is not in Textures.lib"),
        (ResourceName("mat0", b"GHOST"), "the game uses DEFAULT instead"),
        (ResourceName("archive", b"ghost.rlb"), "'ghost.rlb' is not in "),
        (ResourceName("entry", b"a", b"ghost.rlb"), "'ghost.rlb' is not in "),
        (ResourceName("entry", b"a", b"../static.rlb"), "'../static.rlb' is not in "),
        (ResourceName("entry", b"ghost", b"objects.rlb"), "'ghost' is not in objects.rlb"),
    ],
)
def test_a_name_that_leads_nowhere_has_a_reason(game: Path, name: ResourceName, words: str) -> None:
    target = Targets(FileStore(), game).find(name)
    assert target.place is None
    assert words in target.problem


def test_without_a_game_folder_that_is_the_reason() -> None:
    target = Targets(FileStore(), None, "no game folder is set").find(ResourceName("texm", b"STONE.0"))
    assert (target.place, target.problem) == (None, "no game folder is set")


def test_a_library_that_cannot_be_read_is_the_reason(tmp_path: Path) -> None:
    game = sound_game.write(tmp_path, Textures=b"NRes", effects=b"NRes\0")
    targets = Targets(FileStore(), game)
    assert "cannot be read" in targets.find(ResourceName("texm", b"STONE.0")).problem
    assert "cannot be read" in targets.find(ResourceName("entry", b"blast", b"effects.rlb")).problem
