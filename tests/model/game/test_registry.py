"""Game folders: libraries by name, object keys and where they lead."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.broken import games
from viewer.formats.archive import nres
from viewer.formats.text import encode
from viewer.model.game.registry import (
    MAX_DEPTH,
    MAX_REFERENCES,
    Game,
    ObjectReference,
    Outcome,
    Registry,
    find_entry,
)
from viewer.model.game.slots import fitting
from viewer.model.store.file_store import FileStore

Pairs = list[tuple[bytes, bytes]]

TREE = (b"static.rlb", b"tree.msh")
PLAN = (b"static.rlb", b"tree.bas")


def registry(**entries: Pairs) -> Registry:
    return Registry(nres.Archive.read(games.registry(entries)))


def resources(of: Registry, key: bytes) -> list[bytes]:
    index = of.find(key)
    assert index is not None
    return [reference.resource for reference in of.expand(index).references]


@pytest.fixture
def game(tmp_path: Path) -> Game:
    (tmp_path / "STATIC.RLB").write_bytes(games.static())
    entries: dict[str, Pairs] = {
        "tree": [TREE],
        "oak": [(b"OBJECTS.RLB", b"tree.msh")],
        "stump": [PLAN],
        "ghost": [(b"static.rlb", b"ghost.msh"), PLAN],
        "sun": [(b"static.rlb", b"tree.wea")],
    }
    (tmp_path / "objects.rlb").write_bytes(games.registry(entries))
    (tmp_path / "Textures.lib").write_bytes(b"no archive")
    return Game(tmp_path, FileStore())


def test_inherited_references_stand_in_place() -> None:
    house = registry(base=[TREE, PLAN], house=[(b"a.rlb", b"1"), (b"objects.rlb", b"base"), (b"a.rlb", b"2")])
    assert resources(house, b"house") == [b"1", b"tree.msh", b"tree.bas", b"2"]
    index = house.find(b"HOUSE.msh")
    assert index is not None
    assert [reference.row for reference in house.expand(index).references] == [0, 1, 1, 2]
    assert house.expand(index).models == (ObjectReference(*TREE, 1),)


def test_a_key_is_found_with_and_without_its_suffix() -> None:
    archive = nres.Archive.read(games.registry({"tree.msh": [], "oak": []}))
    assert [find_entry(archive, name) for name in (b"tree", b"OAK.MSH", b" oak ", b"elm")] == [0, 1, 1, None]


def test_a_parent_that_does_not_exist_adds_nothing() -> None:
    assert resources(registry(house=[(b"objects.rlb", b"lost"), TREE]), b"house") == [b"tree.msh"]


def test_every_object_of_a_circle_has_one() -> None:
    circle = registry(a=[(b"objects.rlb", b"b")], b=[TREE, (b"objects.rlb", b"a")])
    assert [circle.expand(index).cycles for index in (0, 1)] == [(0,), (1,)]
    assert resources(circle, b"a") == [b"tree.msh"]


@pytest.mark.parametrize(("length", "is_deep"), [(MAX_DEPTH, False), (MAX_DEPTH + 1, True)])
def test_inheritance_has_a_depth(length: int, is_deep: bool) -> None:
    chain = {f"k{n:02}": [(b"objects.rlb", f"k{n + 1:02}".encode())] for n in range(length)}
    deep = registry(**chain, **{f"k{length:02}": [TREE]})
    assert bool(deep.expand(0).cycles) is is_deep


def test_what_inherits_twice_does_not_take_forever() -> None:
    twice = {f"k{n:02}": [(b"objects.rlb", f"k{n + 1:02}".encode())] * 2 for n in range(MAX_DEPTH)}
    wide = registry(**twice, **{f"k{MAX_DEPTH:02}": [TREE]})
    assert resources(wide, b"k00") == [b"tree.msh"]
    assert wide.expand(0).cycles == ()


@pytest.mark.parametrize(
    ("key", "outcome", "model"),
    [
        (b"TREE", Outcome.MODEL, "static.rlb::tree.msh"),
        (b"oak.msh", Outcome.MODEL, "static.rlb::tree.msh"),
        (b"stump", Outcome.MODEL, "static.rlb::tree.msh"),
        (b"ghost", Outcome.BROKEN, None),
        (b"sun", Outcome.NO_GEOMETRY, None),
        (b"moon", Outcome.NOT_FOUND, None),
    ],
)
def test_a_key_leads_to_a_model(game: Game, key: bytes, outcome: Outcome, model: str | None) -> None:
    found, reference = game.model(key)
    assert found is outcome
    assert (reference and str(reference)) == model


def test_a_library_that_is_missing_or_broken_lacks_nothing(game: Game) -> None:
    assert game.archive(b"Textures.lib") is None
    assert not game.missing(b"Textures.lib", b"STONE.0")
    assert not game.missing(b"Material.lib", b"STONE.0")
    assert game.missing(b"static.rlb", b"oak.msh")
    assert not game.missing(b"Static.rlb", b"TREE.MSH")


def test_a_wear_table_stands_beside_its_model(game: Game) -> None:
    assert game.has_wear(ObjectReference(b"static.rlb", b"Tree", 0))
    assert not game.has_wear(ObjectReference(b"static.rlb", b"oak.msh", 0))


def test_a_folder_without_a_registry(tmp_path: Path) -> None:
    assert Game(tmp_path, FileStore()).model(b"tree") == (Outcome.NOT_FOUND, None)


def test_the_keys_of_the_corpora_lead_where_they_should(samples: Path) -> None:
    for reading in ["seed", "field"]:
        truth = json.loads((samples / reading / "truth.json").read_text())
        game = Game(samples / reading / "game", FileStore())
        for key, expected in truth["objects"].items():
            _, model = game.model(encode(key))
            assert (model and str(model)) == (expected and "::".join(expected)), key


def test_an_object_follows_only_so_many_references() -> None:
    hub = registry(hub=[TREE] * MAX_REFERENCES, house=[(b"objects.rlb", b"hub"), PLAN])
    index = hub.find(b"house")
    assert index is not None
    found = hub.expand(index)
    assert found.cycles == (0,)
    assert len(found.references) == MAX_REFERENCES


def test_what_fits_a_slot_begins_with_its_label() -> None:
    keys = (b"i_eng_b_03", b"I_ENG_B_01.msh", b"i_eng_c_01", b"eng_b_03", b"i_eng_b")
    found = Registry(nres.Archive.read(games.registry({key.decode(): [] for key in keys})))
    assert set(fitting(found, b"i_eng_b")) == {b"i_eng_b_03", b"I_ENG_B_01.msh", b"i_eng_b"}
    assert fitting(found, b"i_rdr") == fitting(found, b" ") == ()
