"""Tables of a model that ``inspect`` prints by name, beside those that every model has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.console import MODELS, WALKER, Capture
from viewer.cli.main import main

TOWER = f"{MODELS}::b_tower.msh"


def rows(address: str, table: str, capsys: Capture) -> list[dict[str, object]]:
    assert main(["inspect", address, "--table", table, "--json"]) == 0
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)["rows"]
    return found


def test_the_paths_inside_a_building(capsys: Capture) -> None:
    places, links = rows(TOWER, "path_graph", capsys), rows(TOWER, "path_links", capsys)
    assert places[0] == {"index": 0, "position": [0, 17, 0], "flags": 0, "node": 1}
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
