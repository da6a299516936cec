"""Who refers to a payload."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import sound_game
from tests.broken import games
from viewer.formats import wear
from viewer.model.references import users
from viewer.model.references.users import UserSearch
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.progress import Cancelled, Progress


@pytest.fixture
def game(tmp_path: Path) -> Path:
    return sound_game.write(tmp_path)


def found(game: Path, address: str, search: UserSearch | None = None) -> list[str]:
    """The places of the users, and through what, without the folder."""
    search = search or UserSearch()
    result = search.find(FileStore(), Address.parse(f"{game}/{address}"), [game], game, Progress())
    texts = (f"{it.place} {it.through}" for it in result.users)
    return [text.replace(f"{game}/", "").strip() for text in texts]


def test_a_texture_is_used_by_materials(game: Path) -> None:
    assert found(game, "Textures.lib::stone.0") == ["Material.lib::DEFAULT: phases[0].texture"]


def test_a_lightmap_is_used_by_wear_tables_and_their_models(game: Path) -> None:
    assert found(game, "LightMap.lib::HALL.A0") == [
        "static.rlb::tree.wea: lightmaps[0].name",
        "objects.rlb::tree: references[1].resource static.rlb::tree.wea",
        "static.rlb::tree.msh static.rlb::tree.wea",
        "objects.rlb::oak: references[0].resource objects.rlb::tree",
        "UNITS/tree.dat: components[0].key objects.rlb::oak",
    ]


def test_a_material_is_used_by_wear_tables_and_models_also_of_terrain(game: Path) -> None:
    named = {*found(game, "Material.lib::DEFAULT")}
    assert {"static.rlb::tree.wea: materials[0].name", "MAPS/Land1.wea: materials[0].name"} < named
    assert {"static.rlb::tree.msh static.rlb::tree.wea", "MAPS/Land.msh MAPS/Land1.wea"} < named


def test_a_wear_table_is_used_by_its_model(game: Path) -> None:
    assert "static.rlb::tree.msh" in found(game, "static.rlb::tree.wea")
    assert found(game, "MAPS/Land2.wea") == ["MAPS/Land.msh"]


def test_a_model_is_used_by_objects_and_through_them_by_units(game: Path) -> None:
    assert found(game, "static.rlb::tree.msh") == [
        "objects.rlb::tree: references[0].resource",
        "objects.rlb::turner: references[0].resource",
        "objects.rlb::oak: references[0].resource objects.rlb::tree",
        "UNITS/tree.dat: components[0].key objects.rlb::oak",
    ]


def test_effects_sounds_and_controllers_are_used_too(game: Path) -> None:
    assert found(game, "effects.rlb::BLAST") == ["static.rlb::tree.ndp: nodes[0].explosion"]
    assert found(game, "sounds.lib::boom.wav") == ["effects.rlb::blast: commands[0].resource"]
    assert found(game, "control.rlb::turner.ctl") == ["objects.rlb::turner: references[1].resource"]


def test_an_entry_addressed_by_its_number_is_the_same(game: Path) -> None:
    assert found(game, "Textures.lib::#0") == found(game, "Textures.lib::STONE.0")


def test_a_link_to_the_folder_is_the_same(game: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    link = tmp_path_factory.mktemp("links") / "game"
    link.symlink_to(game)
    assert len(found(link, "Textures.lib::STONE.0")) == 1


def test_only_a_changed_file_is_read_again(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    search = UserSearch()
    read: list[str] = []
    references_of = users.references_of

    def counting(library: FileStore, path: Path) -> tuple[users.StoredReference, ...]:
        read.append(path.name)
        return references_of(library, path)

    monkeypatch.setattr(users, "references_of", counting)
    assert found(game, "Material.lib::DEFAULT", search)
    assert len(read) == len(set(read)) > 5
    read.clear()
    assert found(game, "Textures.lib::STONE.0", search)
    assert read == []
    (game / "MAPS" / "Land2.wea").write_bytes(wear.build([b"OTHER", b"MORE"]))
    assert "MAPS/Land2.wea: materials[0].name" not in found(game, "Material.lib::DEFAULT", search)
    assert read == ["Land2.wea"]


def test_a_file_that_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    game = sound_game.write(tmp_path, static=b"NRes")
    assert found(game, "Textures.lib::STONE.0") == ["Material.lib::DEFAULT: phases[0].texture"]


def test_files_that_cannot_refer_are_not_read(game: Path) -> None:
    (game / "film.avi").write_bytes(bytes(100))
    (game / "large.dat").write_bytes(bytes((1 << 20) + 1))
    (game / ".hidden").mkdir()
    names = {path.name for path in users._files(FileStore(), [game])}
    assert {"static.rlb", "tree.dat", "Land.msh"} < names
    assert not names & {"film.avi", "large.dat"}


def test_a_search_can_be_cancelled_and_tells_how_far_it_is(game: Path) -> None:
    progress = Progress()
    UserSearch().find(FileStore(), Address(game / "objects.rlb"), [game], game, progress)
    assert progress.done == progress.total > 5
    progress.cancel()
    with pytest.raises(Cancelled):
        UserSearch().find(FileStore(), Address(game / "objects.rlb"), [game], game, progress)


def test_objects_that_refer_to_each_other_end(game: Path) -> None:
    ring = {"one": [(b"objects.rlb", b"two")], "two": [(b"objects.rlb", b"one")]}
    (game / "objects.rlb").write_bytes(games.registry(ring))
    assert found(game, "objects.rlb::one") == [
        "objects.rlb::two: references[0].resource",
        "objects.rlb::one: references[0].resource objects.rlb::two",
    ]


def test_of_files_outside_the_scope_nothing_is_kept(
    game: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    search, other = UserSearch(), sound_game.write(tmp_path_factory.mktemp("other"))
    assert found(game, "Textures.lib::STONE.0", search)
    assert found(other, "Textures.lib::STONE.0", search)
    assert all(path.is_relative_to(other) for path in search._files)
