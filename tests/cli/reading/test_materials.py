"""The verb `materials`, and what `inspect` says about materials."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import game_folders
from tests.broken import libraries
from tests.builders import ModelBuilder, Node, archive_of, box, quad
from tests.cli.console import Capture, failure, success
from tests.messages import states
from tests.terrains import terrain
from viewer.formats import wear
from viewer.model.game import installs
from viewer.model.game.installs import Install, Launcher
from viewer.model.mesh.reading import FIELD


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A game folder with a model of three batches, the second with the lightmap."""
    folder = game_folders.write(tmp_path / "game")
    shapes = [box(material=1), quad(material=2, has_lightmap=True), quad(material=3)]
    model = ModelBuilder([Node("a", shapes={(0, 0): shapes})], FIELD).build()
    table = wear.build([b"FIRST", b"glass", b"STONE", b"LOST"], [b"HALL.0"])
    (folder / "a.rlb").write_bytes(archive_of({"a.msh": model, "a.wea": table}))
    (tmp_path / "a.msh").write_bytes(model)
    return folder


def rows(capsys: Capture, *arguments: object) -> Any:
    return json.loads(success(capsys, "materials", *arguments, "--json")[0])


def test_what_is_not_a_model_says_what_it_is(game: Path, capsys: Capture) -> None:
    said = failure(capsys, "materials", f"{game / 'a.rlb'}::a.wea")
    assert said.endswith("::a.wea: not a model: wear table")
    (game / "bad.msh").write_bytes(b"10")
    assert "not a model" not in failure(capsys, "materials", game / "bad.msh")


def test_every_batch_is_told(game: Path, capsys: Capture) -> None:
    address = f"{game / 'a.rlb'}::a.msh"
    document = rows(capsys, address)
    assert document["source"] == address
    assert document["wear"] == f"{game / 'a.rlb'}::a.wea"
    assert document["reading"]["material_field"] == "field"
    assert "+0x02" in document["reading"]["why"]
    fields = ("batch", "row", "material", "found", "texture_found", "lightmap", "blend")
    assert [tuple(row[field] for field in fields) for row in document["batches"]] == [
        (0, 1, "glass", "name", True, None, "alpha"),
        (1, 2, "STONE", "default", True, "HALL.0", "opaque"),
        (2, 3, "LOST", "name", False, None, "opaque"),
    ]
    assert document["batches"][0]["phase"] == {
        "ambient": [1, 1, 1, 1],
        "diffuse": [1, 1, 1, 1],
        "specular": [0, 0, 0, 1],
        "emissive": [0, 0, 0, 1],
        "power": 0,
        "texture": "GRADED.0",
        "page": None,
        "lit": True,
    }
    assert any(states(step, "Material.lib STONE") for step in document["batches"][1]["trace"])


def test_people_get_a_table_and_the_traces(game: Path, capsys: Capture) -> None:
    text = success(capsys, "materials", f"{game / 'a.rlb'}::a.msh")[0]
    assert "row  material  found    blend   phases  texture    lightmap  batches" in text
    assert "row 3, LOST" in text
    assert any(states(line, "Textures.lib NOWHERE.0") for line in text.splitlines())


def test_a_game_folder_and_a_wear_table_are_taken(game: Path, capsys: Capture) -> None:
    alone = game.parent / "a.msh"
    assert {row["found"] for row in rows(capsys, alone)["batches"]} == {"missing"}
    assert rows(capsys, alone)["wear"] is None
    given = rows(capsys, alone, "--game", game, "--wear", f"{game / 'a.rlb'}::a.wea")
    assert [row["found"] for row in given["batches"]] == ["name", "default", "name"]


def test_what_is_given_has_to_be_there(game: Path, capsys: Capture) -> None:
    model = game.parent / "a.msh"
    assert "no.wea" in failure(capsys, "materials", model, "--wear", game / "no.wea")
    assert str(game / "none") in failure(capsys, "materials", model, "--game", game / "none")
    assert "Material.lib" in failure(capsys, "materials", game / "Material.lib")


def test_a_terrain_has_a_row_for_each_material(game: Path, capsys: Capture) -> None:
    (game / "Land.msh").write_bytes(terrain())
    (game / "Land1.wea").write_bytes(wear.build([b"FIRST", b"SKIN", b"GLASS"]))
    batches = rows(capsys, game / "Land.msh")["batches"]
    assert [(row["batch"], row["row"], row["found"], row["second_layer"]) for row in batches] == [
        (None, 0, "name", None),
        (None, 1, "name", None),
    ]


def test_inspect_lists_materials_with_their_phases(game: Path, capsys: Capture) -> None:
    address = f"{game / 'a.rlb'}::a.msh"
    materials = json.loads(success(capsys, "inspect", address, "--json")[0])["materials"]
    assert [(row["row"], row["name"], row["batches"]) for row in materials] == [
        (1, "glass", [0]),
        (2, "STONE", [1]),
        (3, "LOST", [2]),
    ]
    assert materials[0]["entry"] == f"{game / 'Material.lib'}::GLASS"
    assert [phase["texture"] for phase in materials[2]["phases"]] == ["NOWHERE.0", "NODOT"]
    assert materials[0]["phases"][0]["alpha"] == "graded"
    assert any(states(line, "a.wea 1 glass") for line in success(capsys, "inspect", address)[0].splitlines())


def test_the_field_corpus_is_told_as_its_truth_says(samples: Path, capsys: Capture) -> None:
    truth = json.loads((samples / "field" / "truth.json").read_text(encoding="utf-8"))
    for key in ("game/bases.rlb::b_rare_01.msh", "game/static.rlb::tiny_01.msh"):
        model = truth["models"][key]
        batches = rows(capsys, samples / "field" / key)["batches"]
        assert [row["row"] for row in batches] == model["material_rows"]
        assert [row["lightmap"] is not None for row in batches] == model["lightmapped"]
        assert [row["material"] for row in batches] == [model["materials"][row["row"]] for row in batches]


def test_a_wear_table_that_is_none_is_told_of(game: Path, capsys: Capture) -> None:
    model = game / "a.rlb"
    _, err = success(capsys, "materials", f"{model}::a.msh", "--wear", f"{model}::a.msh")
    assert err.startswith(f"mshview: warning: {model}::a.msh: ")
    assert err.count("\n") == 1
    _, err = success(capsys, "materials", f"{model}::a.msh", "--wear", f"{model}::a.wea")
    assert err == ""
    failure(capsys, "materials", f"{model}::a.msh", "--wear", f"{model}::lost.wea")


def test_an_empty_name_is_no_game_folder(game: Path, capsys: Capture) -> None:
    assert states(failure(capsys, "materials", f"{game / 'a.rlb'}::a.msh", "--game", ""), "folder")


@pytest.mark.parametrize("verb", ["materials", "inspect"])
def test_packed_libraries_are_reported_in_one_sentence(game: Path, capsys: Capture, verb: str) -> None:
    game_folders.write(game, Material=bytes(libraries.library()), LightMap=bytes(libraries.library()))
    printed, errors = success(capsys, verb, f"{game / 'a.rlb'}::a.msh")
    (line,) = [line for line in (printed + errors).splitlines() if "RsLi" in line]
    assert states(line, "warning Material.lib LightMap.lib packed")
    assert "Material.lib" not in printed


def test_a_game_found_on_this_computer_is_named_but_not_used(
    game: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    install = Install("/games/parkan", Launcher.STEAM)
    monkeypatch.setattr(installs, "find_installs", lambda: (install,))
    (tmp_path / "a.wea").write_bytes(wear.build([b"FIRST", b"GLASS"]))
    printed, errors = success(capsys, "materials", tmp_path / "a.msh", "--json")
    assert '--game "/games/parkan"  (Steam)' in errors
    assert {batch["found"] for batch in json.loads(printed)["batches"]} == {"missing"}
    assert "/games/parkan" not in success(capsys, "materials", f"{game / 'a.rlb'}::a.msh")[1]
    assert '--game "/games/parkan"  (Steam)' in success(capsys, "help")[0]
