"""``inspect --at``: one place of a payload, by its name or its offset."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import skies
from tests.cli.console import GAME, MODELS, WALKER, Capture, failure, json_of, success
from tests.corpora import skip_module
from tests.share import some
from viewer.cli.main import main

METAL = f"{GAME / 'Material.lib'}::WALKER_METAL"


def found_at(capsys: Capture, address: str, at: str) -> dict[str, object]:
    found: dict[str, object] = json_of(capsys, "inspect", address, "--at", at)
    return found


def test_a_field_has_offset_type_value_meaning_and_certainty(capsys: Capture) -> None:
    found = found_at(capsys, METAL, "header.ground_surface")
    assert (found["offset"], found["size"], found["type"], found["value"]) == (4, 1, "u8", 255)
    assert (found["bytes"], found["meaning"], found["status"]) == ("ff", "not set", "inferred")


def test_an_offset_leads_to_the_field_and_the_field_to_the_offset(capsys: Capture) -> None:
    field = found_at(capsys, WALKER, "nodes[3].parent")
    assert found_at(capsys, WALKER, f"{field['offset']:#x}") == field
    assert found_at(capsys, WALKER, str(field["offset"])) == field


def test_rows_and_parts_are_whole(capsys: Capture) -> None:
    row = found_at(capsys, METAL, "phases[0]")
    assert row["size"] == 34
    assert isinstance(row["value"], dict)
    assert row["value"]["texture"] == "METAL.0"
    phases = found_at(capsys, METAL, "phases")
    assert isinstance(phases["value"], list)
    assert len(phases["value"]) == 1
    assert "phases[0].power" in success(capsys, "inspect", METAL, "--at", "phases[0].power")[0]


@pytest.mark.parametrize("at", ["phases[9]", "nothing", "header.nothing", "999999", "phases[0].x", "a b"])
def test_what_is_not_there_is_one_error(capsys: Capture, at: str) -> None:
    assert "inspect" in failure(capsys, "inspect", METAL, "--at", at)


@pytest.mark.parametrize(
    "at",
    [
        "batches[1].node",
        "nodes[1].takes",
        "nodes[1].parent_name",
        "batches[0].node_behind_the_portal",
        "vertices[0].position",
    ],
)
def test_a_column_that_is_printed_is_said_to_have_no_bytes(capsys: Capture, at: str) -> None:
    assert f"there are no bytes at {at}: it is a column" in failure(capsys, "inspect", WALKER, "--at", at)


@pytest.mark.parametrize("at", ["nodes[999].flags", "nodes[1].nosuch", "nowhere[1].flags"])
def test_what_is_no_column_or_no_row_is_not_there(capsys: Capture, at: str) -> None:
    assert f"there is no {at}" in failure(capsys, "inspect", WALKER, "--at", at)


@pytest.mark.parametrize(
    ("printed", "stored"),
    [("keys[1].quaternion_raw", "keys[1].quaternion"), ("resources[2].type", "directory[2].type_id")],
)
def test_a_field_is_found_by_the_name_under_which_it_is_printed(
    capsys: Capture, printed: str, stored: str
) -> None:
    assert found_at(capsys, WALKER, printed) == found_at(capsys, WALKER, stored)


TOWER = f"{MODELS}::b_tower.msh"


def rows(address: str, table: str, capsys: Capture) -> list[dict[str, object]]:
    assert main(["inspect", address, "--table", table, "--json"]) == 0
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)["rows"]
    return found


def test_the_paths_inside_a_building(capsys: Capture) -> None:
    places, links = rows(TOWER, "path_graph", capsys), rows(TOWER, "path_links", capsys)
    first = {"index": 0, "position": [0, 17, 0], "flags": 0, "node": 1, "node_name": "o01_bunker"}
    assert places[0] == first
    assert links[0] == {"index": 0, "start": 0, "end": 1, "opaque": [0xFFFFFFFF] * 8}
    assert {row[name] for row in links for name in ("start", "end")} <= set(range(len(places)))


def test_slots_have_their_area_and_volume(samples: Path, capsys: Capture) -> None:
    truth = json.loads((samples / "field/truth.json").read_text())["models"]
    key = "game/robots.rlb::w_tur_01.msh"
    slots = rows(str(samples / "field" / key), "slots", capsys)
    assert [slot["area"] for slot in slots] == pytest.approx(truth[key]["slot_area"])
    assert [slot["volume"] for slot in slots] == pytest.approx(truth[key]["slot_volume"])


def test_light_probes(capsys: Capture) -> None:
    first = rows(TOWER, "light_probes", capsys)[0]
    assert (first["node"], first["position"], first["intensity"]) == (5, [0, 6, 5], 9)


@pytest.mark.parametrize("table", ["path_graph", "path_links", "light_probes"])
def test_a_model_without_them_has_no_rows(table: str, capsys: Capture) -> None:
    assert rows(WALKER, table, capsys) == []


skip_module()

BATCH = (
    *("flags", "material", "opaque4", "opaque6"),
    *("index_count", "index_start", "opaque14", "base_vertex"),
)
GROUND = {"a": "ground_surface", "b": "unknown_0x05", "c": "speed_factor", "d": "damage_per_second"}


@pytest.fixture(scope="module")
def truth(samples: Path) -> Any:
    return json.loads((samples / "field" / "truth.json").read_text())


def inspected(capsys: Capture, address: Path | str) -> Any:
    return json.loads(success(capsys, "inspect", address, "--json", "-q")[0])


def test_models(samples: Path, truth: Any, capsys: Capture) -> None:
    seen = 0
    for key, model in some(truth["models"].items()):
        found = inspected(capsys, f"{samples / 'field'}/{key}")
        if found["variant"] != "model" or "takes" not in model:
            continue
        seen += 1
        nodes = found["nodes"]
        assert [node["name"] for node in nodes] == model["names"], key
        assert [node["takes"] for node in nodes] == model["takes"], key
        assert [-1 if node["parent"] is None else node["parent"] for node in nodes] == model["parents"], key
        assert [[batch[name] for name in BATCH] for batch in found["batches"]] == model["batches"], key
        assert found["reading"]["quaternion_order"] == model["quaternion_order_expected"], key
        capsule = found["header"]["capsule"]
        cylinder = [*capsule["a"], *capsule["b"], capsule["radius"]]
        assert cylinder == pytest.approx(model["header"][-7:], rel=1e-6), key
    assert seen > 10


def test_materials(samples: Path, truth: Any, capsys: Capture) -> None:
    for name, material in truth["materials"].items():
        found = inspected(capsys, f"{samples / 'field/game/Material.lib'}::{name}")
        assert {letter: found[field] for letter, field in GROUND.items()} == material["meta"], name
        assert (found["blend_mode"], found["is_lit_skin"]) == (material["blend_mode"], material["lit_skin"])
        phases = [(phase["power"], phase["page"]) for phase in found["phases"]]
        assert phases == [(phase["power"], phase["sub_image"]) for phase in material["phases"]], name


def test_a_sky_as_the_contract_has_it(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "sky.ske"
    path.write_bytes(skies.SKY)
    found = json_of(capsys, "inspect", str(path), "--hour", "12:15")
    dawn = found["sections"][0]["keyframes"][0]
    assert (found["format"], found["start"]) == ("sky", {"section": 0, "hour": 6, "minute": 30})
    assert [*dawn] == ["hour", "minute", "event", "slots", "fog", "names", "floats", "effects"]
    assert found["at"]["scene"] == pytest.approx([80 / 255, 60 / 255, 90 / 255])
    assert found["at"]["lights"][0]["direction"] == pytest.approx([-0.5, 0, -0.8660254])
    assert found["at"]["fog"] == [0, 350]
    assert "at" not in json_of(capsys, "inspect", str(path))
    lines = success(capsys, "inspect", str(path))[0].splitlines()
    assert "#285078" in next(line for line in lines if "06:00" in line)


def test_the_keyframes_of_a_sky_are_a_table(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "sky.ske"
    path.write_bytes(skies.SKY)
    dawn, dusk = rows(str(path), "keyframes", capsys)
    assert (dawn["time"], dawn["scene"], dawn["main_light"], dawn["effects"]) == (
        "06:00",
        "#285078",
        "#643219",
        [],
    )
    assert (dusk["time"], dusk["fog"], dusk["effects"]) == ("18:30", [0, 350], ["wind.wav", "fly"])
    out, _ = success(capsys, "inspect", str(path), "--table", "keyframes", "--format", "csv")
    assert out.splitlines()[1].startswith("0,0,06:00,start of sun or moon,sun,#285078,")


@pytest.mark.parametrize(("hour", "says"), [("24:01", "24:01"), ("noon", "noon")])
def test_what_is_no_hour(hour: str, says: str, capsys: Capture) -> None:
    assert says in failure(capsys, "inspect", METAL, "--hour", hour)


def test_only_a_sky_has_hours(capsys: Capture) -> None:
    assert "mat0" in failure(capsys, "inspect", METAL, "--hour", "12:00")


def test_sockets_are_listed_with_the_parts_that_fit(capsys: Capture) -> None:
    rows = json_of(capsys, "inspect", WALKER, "--table", "fitting_parts", "--json")["rows"]
    assert [(it["name"], it["socket_tag"], it["key"]) for it in rows] == [
        ("Base_cargo", "universal_ll", None),
        ("Base_TM", "e_tur_bt", "e_tur_bt_01"),
    ]
    mounts = json_of(capsys, "inspect", GAME / "UNITS/UNITS/SAMPLE/walker.dat", "--json")["mounts"]
    assert [it["socket_tag"] for it in mounts] == [None, "e_tur_bt", "e_gun_tw", None]


def test_the_rows_of_a_sky_s_wear_table_have_roles(capsys: Capture) -> None:
    found = json_of(capsys, "inspect", str(GAME / "MISSIONS/SAMPLE/sky.wea"))["materials"]
    assert [row["role"] for row in found[:5]] == ["nebula", "stars, never drawn", "clouds", "sun", "moon"]
    assert [row["role"] for row in found[5:]] == ["lens flare", "lens flare 2", "snow", "rain"]
    assert "role" not in json_of(capsys, "inspect", f"{MODELS}::walker.wea")["materials"][0]
