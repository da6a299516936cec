"""The tower, the tree and the drone: what makes each of them worth opening."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.assets.conftest import Subject
from tests.cells import draws_in
from viewer.formats import mat0
from viewer.formats.archive.nres import Archive
from viewer.formats.msh import path_graph, tables, vertices
from viewer.formats.msh.nodes import FLAG_INTERNAL, FLAG_SURVIVES, NONE
from viewer.formats.texture import texm
from viewer.model.mesh.reading import FIELD, Reason


@pytest.fixture
def tower(subject: Callable[[str, str], Subject]) -> Subject:
    return subject("models.rlb", "b_tower")


@pytest.fixture
def tree(subject: Callable[[str, str], Subject]) -> Subject:
    return subject("models.rlb", "s_tree_oak")


@pytest.fixture
def drone(subject: Callable[[str, str], Subject]) -> Subject:
    return subject("models.rlb", "drone")


def test_each_state_of_damage_is_lower_than_the_one_before(tower: Subject) -> None:
    world = tower.animation.pose(0.0).world
    tops = []
    for row in range(3):
        box = tower.draws.posed_bounds(tower.model, world, draws_in(tower.model, tower.draws, (row, 0)))
        assert box is not None
        tops.append(float(box.high[2]))
    assert 40 < tops[0] < 50
    assert tops[0] > tops[1] + 4 > tops[2] + 12


def test_a_later_state_shares_no_vertex_with_the_first(tower: Subject) -> None:
    for whole, *later in tower.model.nodes["slots"][:, :, 0].tolist():
        assert whole == NONE or whole not in later


def test_something_is_left_of_a_destroyed_tower(tower: Subject) -> None:
    flags = tower.model.nodes["flags"]
    assert [tower.names[node] for node in np.flatnonzero(flags & FLAG_SURVIVES)] == ["o01_bunker"]


def test_the_tower_marks_its_inside(tower: Subject) -> None:
    """Names begin with i and o; what the building is hung on is neither."""
    flags = dict(zip(tower.names, tower.model.nodes["flags"].tolist(), strict=True))
    assert {name for name, value in flags.items() if value == FLAG_INTERNAL} == {"i01_floors", "i02_hall"}
    assert {name for name in flags if name[0] not in "oB"} == {"i01_floors", "i02_hall"}


def test_nothing_is_left_in_the_air_by_damage(tower: Subject) -> None:
    """A node draws its last state if it lacks the one asked for."""
    shown = tower.model.nodes["slots"][:, :, 0] != NONE
    for name in ("o04_sign", "o05_beacon", "o06_radar"):
        last = int(shown[tower.names.index(name)].sum()) - 1
        assert last > 0
        drawn = draws_in(tower.model, tower.draws, (last, 0)) & (tower.draws.node == tower.names.index(name))
        box = tower.draws.posed_bounds(tower.model, tower.animation.pose(0.0).world, drawn)
        assert box is not None
        assert float(box.low[2]) < 1


def test_portals_lead_from_outside_through_the_hall_to_the_lift(tower: Subject) -> None:
    draws = tower.draws
    batches = tower.model.batches[draws.batch]
    is_portal = batches["flags"] & 0x0008 != 0
    rooms = batches["opaque6"][is_portal].tolist()
    found = {
        (tower.names[node], tower.names[room])
        for node, room in zip(draws.node[is_portal], rooms, strict=True)
    }
    assert found == {("o01_bunker", "i02_hall"), ("i02_hall", "o01_bunker"), ("i02_hall", "i01_floors")}
    names = {tower.wear.materials[row & 0xFF].name for row in batches["opaque4"][is_portal].tolist()}
    assert names == {b"PORTAL_001"}


def test_nothing_stands_in_the_doorway_but_the_gate(tower: Subject) -> None:
    """A way through the wall, from the ramp into the hall."""
    draws, model = tower.draws, tower.model
    is_wall = draws_in(model, draws) & (model.batches["flags"][draws.batch] & 0x0008 == 0)
    is_gate = np.isin(draws.node, [tower.names.index(f"o07_gate_{side}") for side in "lr"])
    rows = np.flatnonzero(np.repeat(is_wall & ~is_gate, draws.triangle_count))
    middles = model.positions[draws.corners[rows]].astype(float).mean(axis=1)
    in_the_way = (np.abs(middles[:, 0]) < 2) & (np.abs(middles[:, 1] - 11) < 2)
    assert not (in_the_way & (middles[:, 2] > 0.7) & (middles[:, 2] < 5.3)).any()


def test_lightmap_coordinates_lie_on_the_page(tower: Subject) -> None:
    uvs = vertices.STREAM18.view(tower.model.payload(tables.STREAM18))["value"]
    is_lit = np.zeros(len(uvs), bool)
    for batch in tower.model.batches[tower.model.batches["opaque4"] >> 8 == 0]:
        start, count = int(batch["index_start"]), int(batch["index_count"])
        is_lit[tower.model.indices[start : start + count].astype(int) + int(batch["base_vertex"])] = True
    assert 0.5 < is_lit.mean() < 1
    assert uvs[is_lit].min() > 0
    assert uvs.max() < 1024
    assert not uvs[~is_lit].any()


def test_the_lightmap_is_brighter_in_the_sun(tower: Subject, game: Path) -> None:
    page = Archive.read((game / "LightMap.lib").read_bytes())
    number = page.find(tower.wear.lightmaps[0].name)
    assert number is not None
    light = texm.decode(page.payload(number)).level(0)[..., :3]
    assert light.shape == (256, 256, 3)
    assert light.max() > 220
    assert np.ptp(light) > 180


def test_probes_and_paths_refer_to_what_exists(tower: Subject) -> None:
    probes = path_graph.LIGHT_PROBE.view(tower.model.payload(tables.LIGHT_PROBES))
    assert len(probes) == 3
    assert (probes["node"] < len(tower.model.nodes)).all()
    entry = tower.model.archive.entries[tower.model.archive.find_type(tables.PATH_GRAPH) or 0]
    assert entry.size == entry.attr1 * path_graph.PATH_NODE.size + entry.attr2 * path_graph.PATH_LINK.size
    links = path_graph.PATH_LINK.view(
        tower.model.payload(tables.PATH_GRAPH), offset=entry.attr1 * path_graph.PATH_NODE.size
    )
    assert (links["start"] < entry.attr1).all()
    assert (links["end"] < entry.attr1).all()
    points = path_graph.PATH_NODE.view(
        tower.model.payload(tables.PATH_GRAPH)[: entry.attr1 * path_graph.PATH_NODE.size]
    )
    assert {tower.names[node] for node in points["node"]} == {
        "o01_bunker", "i02_hall", "i01_floors", "o03_deck",
    }  # fmt: skip


def test_leaves_are_two_sided_and_cut_out(tree: Subject, game: Path) -> None:
    row = [material.name for material in tree.wear.materials].index(b"LEAVES")
    batches = tree.model.batches
    assert (batches["flags"][batches["opaque4"] & 0xFF == row] == 0x0002).all()
    library = Archive.read((game / "Textures.lib").read_bytes())
    alpha = texm.decode(library.payload(library.find(b"LEAVES.0") or 0)).level(0)[..., 3]
    assert set(np.unique(alpha)) == {0, 255}
    assert 0.3 < np.mean(alpha == 255) < 0.9


def test_every_level_of_detail_is_lighter(tree: Subject, drone: Subject) -> None:
    for subject in (tree, drone):
        counts = subject.draws.triangle_counts()[0]
        assert counts[0] > 1.5 * counts[1] > 2 * counts[2] > 0


def test_rotors_turn_against_their_neighbours(drone: Subject) -> None:
    def rate(name: str) -> float:
        turn = drone.animation.pose(1.0).local[drone.names.index(name)]
        start = drone.animation.pose(0.0).local[drone.names.index(name)]
        way = start[:3, :3].T @ turn[:3, :3]
        return float(np.degrees(np.arctan2(way[1, 0], way[0, 0])))

    assert rate("rotor_fl") > 10
    assert rate("rotor_fr") < -10
    assert rate("rotor_br") > 10


def test_the_jets_stand_behind_the_nozzles(drone: Subject) -> None:
    row = [material.name for material in drone.wear.materials].index(b"FLAME")
    flames = drone.model.batches[drone.model.batches["opaque4"] & 0xFF == row]
    assert (flames["flags"] == 0x0102).all()
    start, count = int(flames[0]["index_start"]), int(flames[0]["index_count"])
    corners = drone.model.positions[
        drone.model.indices[start : start + count].astype(int) + int(flames[0]["base_vertex"])
    ]
    assert corners[:, 1].max() < -2
    assert corners[:, 1].min() < -3


def test_the_road_sign_stands_still_while_its_materials_play(
    subject: Callable[[str, str], Subject], game: Path
) -> None:
    stand = subject("models.rlb", "s_sign")
    assert stand.animation.frame_count == 1
    library = Archive.read((game / "Material.lib").read_bytes())
    found = {row.name: library.find(row.name) or 0 for row in stand.wear.materials}
    blocks = {name: len(mat0.decode(library.payload(index)).blocks) for name, index in found.items()}
    assert (blocks[b"SIGN"], blocks[b"FAILING_LAMP"], blocks[b"BEACON"]) == (3, 1, 1)


def test_they_are_read_as_the_field_notes_say(tower: Subject, tree: Subject, drone: Subject) -> None:
    assert [subject.choice.reading for subject in (tower, tree, drone)] == [FIELD] * 3
    assert {subject.choice.reason for subject in (tower, tree, drone)} == {Reason.BOX}
