"""A unit in the window and in a file of another program: its parts are where the truth has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from viewer.cli.main import main
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.opened.assembled_unit import AssembledUnit
from viewer.session.play import unit_posing
from viewer.session.play.playback import Playback, Root, UnitPlay
from viewer.session.play.unit_posing import placed
from viewer.session.view.view_state import ViewState

UNITS = ("w_test", "w_lost")
STORED = ViewState(playback=Playback(root=Root.TRAVEL))
"""The chassis with the translation of its first node, as the truth has it."""


@pytest.fixture(params=UNITS)
def told(request: pytest.FixtureRequest, samples: Path) -> tuple[Path, list[dict[str, Any]]]:
    """A unit file, and the truth of its components."""
    path = f"game/UNITS/UNITS/BATTLE/{request.param}.dat"
    truth = json.loads((samples / "field" / "truth.json").read_text())
    return samples / "field" / path, truth["units"][path]["components"]


def opened(path: Path) -> AssembledUnit:
    store = FileStore()
    return AssembledUnit.at(store, store.open(Address(path)), None)


def close(made: np.ndarray, expected: list[float]) -> bool:
    return np.allclose(made[:3].ravel(), expected, atol=1e-4 * (1 + max(map(abs, expected))))


def test_the_first_node_of_each_part_is_where_the_truth_has_it(
    told: tuple[Path, list[dict[str, Any]]],
) -> None:
    path, components = told
    shown = placed(opened(path), STORED)
    assert [it.component for it in shown] == [it["index"] for it in components if it["drawn"]]
    for part in shown:
        expected = components[part.component]
        if "socket_pose" in expected:  # not of the chassis, which hangs on nothing
            assert close(part.pose.world[0], expected["socket_pose"]), part.component


def world_of(nodes: list[dict[str, Any]]) -> list[np.ndarray]:
    """The matrix of each node of a glTF file, by its own words."""
    above = {child: at for at, node in enumerate(nodes) for child in node.get("children", ())}

    def local(node: dict[str, Any]) -> np.ndarray:
        x, y, z, w = node.get("rotation", (0, 0, 0, 1))
        made = np.eye(4)
        made[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
        made[:3, 3] = node.get("translation", (0, 0, 0))
        return made

    def world(at: int) -> np.ndarray:
        own = local(nodes[at])
        return own if at not in above else world(above[at]) @ own

    return [world(at) for at in range(len(nodes))]


def test_the_exported_file_holds_each_part_where_the_truth_has_it(
    told: tuple[Path, list[dict[str, Any]]], tmp_path: Path
) -> None:
    path, components = told
    out = tmp_path / "unit.gltf"
    assert main(["export", str(path), "-o", str(out), "--z-up", "--no-textures"]) == 0
    nodes = json.loads(out.read_text())["nodes"]
    worlds = world_of(nodes)
    expected = [it for it in components if it["drawn"]]
    keys = [it["key"].lower() for it in expected]
    # Equal names are told apart by a number after a tilde.
    holders = [at for at, node in enumerate(nodes) if node["name"].lower().partition("~")[0] in keys]
    assert len(holders) == len(expected)
    for at, component in zip(holders, expected, strict=True):
        assert nodes[at]["name"].lower().partition("~")[0] == component["key"].lower()
        assert np.allclose(worlds[at][:3].ravel(), component["matrix"], atol=2e-3), component["key"]


def test_parts_are_moved_apart_hidden_and_shown_alone(samples: Path) -> None:
    unit = opened(samples / "field/game/UNITS/UNITS/BATTLE/w_test.dat")
    together = {it.component: it.pose.world[0, :3, 3] for it in placed(unit, STORED)}
    view = replace(STORED, unit=UnitPlay(explode=1.0))
    apart = {it.component: it.pose.world[0, :3, 3] for it in placed(unit, view)}
    np.testing.assert_array_equal(apart[0], together[0])
    way = {row: apart[row] - together[row] for row in together}
    assert np.linalg.norm(way[1]) > 0
    # A gun moves with its turret, and away from it: by the ways between the centers of their boxes.
    for row, above in ((1, 0), (2, 1)):
        boxes = [unit.documents[it].extent for it in (row, above)]
        matrices = [unit.parts[it].matrix for it in (row, above)]
        centers = [
            (m @ [*box.center, 1])[:3]
            for m, box in zip(matrices, boxes, strict=True)
            if m is not None and box
        ]
        np.testing.assert_allclose(way[row] - way[above], centers[0] - centers[1], atol=1e-4)
    assert {it.component for it in placed(unit, replace(STORED, hidden=frozenset({1, 2})))} == {0, 4, 6}
    assert {it.component for it in placed(unit, replace(STORED, isolated=unit.below(1)))} == {1, 2, 4, 6}


def test_a_channel_of_the_chassis_carries_what_hangs_on_it() -> None:
    unit = opened(Path("assets/game/UNITS/UNITS/SAMPLE/outpost.dat"))
    before = {it.component: it.pose.world[0] for it in placed(unit, ViewState())}
    turret = unit.documents[1].controller.channels[0]
    view = ViewState()
    turned = unit_posing.playback_of(unit, view, 1).with_channel(turret.index, 0.25)
    view = unit_posing.with_playback(unit, view, 1, turned)
    after = {it.component: it.pose.world[0] for it in placed(unit, view)}
    for still in (0, 1, 3, 4):
        np.testing.assert_array_equal(before[still], after[still])
    # The gun on the turret is a quarter turn further: both of its level axes have changed places.
    turn = np.linalg.inv(before[2][:3, :3]) @ after[2][:3, :3]
    assert np.trace(turn) == pytest.approx(1, abs=0.01)


def test_what_fits_a_socket_comes_first(samples: Path) -> None:
    unit = opened(Path("assets/game/UNITS/UNITS/SAMPLE/walker.dat"))
    assert unit.label(1) == "e_tur_bt"
    assert next(iter(unit.choices(1))) == "e_tur_bt_01"
    assert set(unit.choices(1)) >= {"e_gun_tw_01", "drone"}
    assert unit.choices(1)["e_gun_tw_01"] == unit.parts[2].called == "Twin cannon (TW-30)"
    assert not opened(samples / "field/game/UNITS/UNITS/BATTLE/w_lost.dat").label(0)
