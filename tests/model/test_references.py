"""The links of one payload; where names lead; who refers to a payload."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

import numpy as np
import pytest

from tests.broken import games, sound_game
from tests.systems import below, needs_links
from viewer.formats import fxid, mat0, objects, units, wear
from viewer.formats.archive.nres import Entry
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.neighbors import damage
from viewer.formats.neighbors.control import CHANNEL
from viewer.formats.part import find
from viewer.formats.units import ON_NODE
from viewer.model.kinds.registry import kind_of
from viewer.model.references import links, users
from viewer.model.references.links import Links, Socket, links_of, sockets
from viewer.model.references.targets import ResourceName, StoredName, Targets, name_in, names_in
from viewer.model.references.users import UserSearch
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import files_below
from viewer.model.store.place import Place
from viewer.progress import Cancelled, Progress


@pytest.fixture
def game(tmp_path: Path) -> Path:
    return sound_game.write(tmp_path)


def linked(game: Path, address: str) -> Links:
    library = FileStore()
    item = library.open(Address.parse(f"{game}/{address}"))
    kind = kind_of(item)
    entry = item.entry if isinstance(item.entry, Entry) else None
    parts = kind.parts(kind.decode(item.data, entry))
    return links_of(library, item, parts, Targets(library, game))


def test_every_name_of_a_payload_has_its_target(game: Path) -> None:
    made = linked(game, "objects.rlb::tree")
    part = made.root and find(made.root, "references")
    assert part is not None
    assert part.record is not None
    assert isinstance(part.rows, np.ndarray)
    target = made.of_name(part.record, part.rows[1], part.record.field("resource"))
    assert target is not None
    assert target.place == Place(Address.parse(f"{game}/static.rlb::tree.wea"))


def test_no_more_names_than_a_limit_are_looked_up(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "MOST_NAMES", 1)
    assert len(linked(game, "objects.rlb::tree").targets) == 1


def test_numbers_lead_to_rows_of_the_same_payload() -> None:
    material = mat0.decode(mat0.build([mat0.PhaseRecord()], [mat0.block(0, 0, [(0, 1), (7, 2)])]))
    made = Links(Address.parse("a"), mat0.parts(material))
    phase = mat0.KEY.field("phase")
    assert [*made.of_numbers(phase, 0)] == [Place(Address.parse("a"), "phases", 0)]
    assert [*made.of_numbers(phase, 7)] == []
    assert [*made.of_numbers(mat0.KEY.field("time"), 0)] == []


@pytest.mark.parametrize("name", ["Land1.wea", "Land2.wea"])
def test_the_wear_tables_of_a_terrain_belong_to_it(game: Path, name: str) -> None:
    assert below(game, linked(game, f"MAPS/{name}").model) == "MAPS/Land.msh"


@pytest.mark.parametrize(
    "address", ["static.rlb::tree.wea", "static.rlb::tree.ndp", "control.rlb::turner.ctl"]
)
def test_the_model_has_the_same_stem_or_is_that_of_the_object(game: Path, address: str) -> None:
    assert below(game, linked(game, address).model) == "static.rlb::tree.msh"


def test_a_node_number_leads_to_the_model(game: Path) -> None:
    made = linked(game, "control.rlb::turner.ctl")
    assert made.model is not None
    assert [*made.of_numbers(CHANNEL.field("node"), 3)] == [Place(made.model, "nodes", 3)]
    assert [*made.of_numbers(CHANNEL.field("node"), -1)] == []


def test_what_belongs_to_no_model_has_none(game: Path) -> None:
    assert linked(game, "objects.rlb::tree").model is None


SAMPLE = Path(__file__).parents[2] / "assets" / "game"
UNIT = "UNITS/UNITS/BATTLE/w_test.dat"


def sockets_of(game: Path, name: str) -> tuple[Socket | None, ...]:
    library = FileStore()
    unit = units.decode((game / name).read_bytes())
    keys = (key.tobytes().partition(b"\0")[0] for key in unit.components["key"])
    targets = Targets(library, game)
    return sockets(library, unit, [targets.model(key) for key in keys])


def test_parts_hang_on_the_named_sockets_of_their_parents() -> None:
    found = sockets_of(SAMPLE, "UNITS/UNITS/SAMPLE/walker.dat")
    named = [socket and (Path(str(socket.place.address)).name, socket.name, socket.tag) for socket in found]
    assert named == [
        None,
        ("models.rlb::walker.msh", "Base_TM", "e_tur_bt"),
        ("turrets.rlb::e_tur_bt_01.msh", "Base_G1", "e_gun_tw"),
        None,
    ]


def test_sockets_are_those_of_an_independent_unit(samples: Path) -> None:
    truth = json.loads((samples / "field" / "truth.json").read_text("utf-8"))
    found = sockets_of(samples / "field" / "game", UNIT)
    for component, socket in zip(truth["units"][f"game/{UNIT}"]["components"], found, strict=True):
        expected = component["socket"] if component["class"] in ON_NODE else None
        assert (socket.name if socket else None) == expected


def test_a_node_that_does_not_exist_has_no_name(tmp_path: Path) -> None:
    data = (SAMPLE / "UNITS/UNITS/SAMPLE/walker.dat").read_bytes()
    rows = units.decode(bytearray(data))
    rows.components["attachment"][1:3] = -1, 900
    (tmp_path / "odd.dat").write_bytes(units.encode(rows))
    found = sockets_of(SAMPLE, str(tmp_path / "odd.dat"))
    assert found[1] is None
    assert found[2] is not None
    assert (found[2].place.row, found[2].name, found[2].tag) == (900, "", "")


@pytest.fixture(scope="module")
def folder_of_game(tmp_path_factory: pytest.TempPathFactory) -> Path:
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
def test_a_name_leads_to_an_entry_whatever_its_case(
    folder_of_game: Path, name: ResourceName, address: str
) -> None:
    place = Targets(FileStore(), folder_of_game).find(name).place
    assert place is not None
    assert below(folder_of_game, place.address) == address


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
def test_a_name_that_leads_nowhere_has_a_reason(folder_of_game: Path, name: ResourceName, words: str) -> None:
    target = Targets(FileStore(), folder_of_game).find(name)
    assert target.place is None
    assert words in target.problem


def test_without_a_game_folder_that_is_the_reason() -> None:
    target = Targets(FileStore(), None, "no game folder is set").find(ResourceName("texm", b"STONE.0"))
    assert (target.place, target.problem) == (None, "no game folder is set")


def test_a_library_that_cannot_be_read_is_the_reason(tmp_path: Path) -> None:
    folder_of_game = sound_game.write(tmp_path, Textures=b"NRes", effects=b"NRes\0")
    targets = Targets(FileStore(), folder_of_game)
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


def found(game: Path, address: str, search: UserSearch | None = None) -> list[str]:
    """The places of the users, and through what, without the folder."""
    search = search or UserSearch()
    result = search.find(FileStore(), Address.parse(f"{game}/{address}"), [game], game, Progress())
    texts = (f"{it.place} {it.through or ''}" for it in result.users)
    return [text.replace(f"{game}{os.sep}", "").replace(os.sep, "/").strip() for text in texts]


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
    assert found(game, "effects.rlb::BLAST") == [
        "static.rlb::tree.ndp: nodes[0].explosion",
        "weapon.rlb::gun.exp: slots[0].effect",
    ]
    assert found(game, "sounds.lib::boom.wav") == ["effects.rlb::blast: commands[0].resource"]
    assert found(game, "control.rlb::turner.ctl") == ["objects.rlb::turner: references[1].resource"]


def test_an_entry_addressed_by_its_number_is_the_same(game: Path) -> None:
    assert found(game, "Textures.lib::#0") == found(game, "Textures.lib::STONE.0")


@needs_links
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
    below = files_below(FileStore(), [game], users.MOST_FILES)
    names = {path.name for path in below if users.can_refer(FileStore(), path)}
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
