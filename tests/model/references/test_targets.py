"""Where names lead."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tests import sound_game
from tests.broken import games
from viewer.formats import fxid, mat0, objects, units, wear
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.neighbors import damage
from viewer.model.references.targets import ResourceName, StoredName, Targets, name_in, names_in
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


def test_a_material_names_the_texture_of_each_phase() -> None:
    root = mat0.parts(mat0.decode(mat0.build([PhaseRecord(b"STEEL.0"), PhaseRecord(), PhaseRecord(b"B.0")])))
    assert [*names_in(root)] == [
        StoredName(ResourceName("texm", b"STEEL.0"), "phases", 0, "texture"),
        StoredName(ResourceName("texm", b"B.0"), "phases", 2, "texture"),
    ]


def test_a_wear_table_names_materials_and_lightmaps() -> None:
    root = wear.parts(wear.decode(wear.build([b"STEEL", b"GLASS"], [b"HALL.A0"])))
    assert [*names_in(root)] == [
        StoredName(ResourceName("mat0", b"STEEL"), "materials", 0, "name"),
        StoredName(ResourceName("mat0", b"GLASS"), "materials", 1, "name"),
        StoredName(ResourceName("lightmap", b"HALL.A0"), "lightmaps", 0, "name"),
    ]


def test_a_reference_names_an_archive_and_an_entry_of_it() -> None:
    root = objects.parts(objects.decode(objects.build([(b"static.rlb ", b"tree.msh")])))
    assert [*names_in(root)] == [
        StoredName(ResourceName("archive", b"static.rlb"), "references", 0, "archive"),
        StoredName(ResourceName("entry", b"tree.msh", b"static.rlb"), "references", 0, "resource"),
    ]


def test_commands_of_an_effect_keep_their_index() -> None:
    sound = struct.pack("<I80x32s32s", 2, b"sounds.lib", b"boom.wav")
    root = fxid.parts(fxid.decode(struct.pack("<I56x", 3) + struct.pack("<I", 6) + sound + sound))
    assert [(it.table, it.row, it.field) for it in names_in(root)] == [
        ("commands", 1, "archive"),
        ("commands", 1, "resource"),
        ("commands", 2, "archive"),
        ("commands", 2, "resource"),
    ]


def test_a_unit_names_keys_of_the_registry_and_damage_names_explosions() -> None:
    unit = units.parts(units.decode(games.unit(b"Oak")))
    assert ResourceName("entry", b"Oak", b"objects.rlb") in {it.name for it in names_in(unit)}
    nodes = damage.parts(damage.decode(games.damage(b"effects.rlb", b"BLAST")))
    assert ResourceName("entry", b"BLAST", b"effects.rlb") in {it.name for it in names_in(nodes)}


def test_a_field_that_names_nothing_has_no_name() -> None:
    row = units.decode(games.unit(b"Oak")).components[0]
    named = {it.name: name_in(units.COMPONENT, row, it) for it in units.COMPONENT.fields}
    assert [name for name, found in named.items() if found] == ["archive", "key"]
