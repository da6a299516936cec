"""The tower, the tree, the drone and the walker have what the formats ask of such models.

The walker walks without sliding, and the drone is the same in both readings. How they look is not tested.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from assets.sample.spec import OWN_VIEW
from assets.sample.walker import motion as walker_motion
from assets.sample.walker.gait import MOVEMENTS, RUN, STAND, TURN, WALK, Moment, Movement
from assets.sample.walker.legs import ANKLE
from tests.assets.conftest import BundledModel
from viewer.formats import mat0
from viewer.formats.archive.nres import Archive
from viewer.formats.msh import path_graph, tables, vertices
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.nodes import FLAG_INTERNAL, NONE
from viewer.model.mesh.portals import PortalKind, portal_kind
from viewer.model.mesh.reading import FIELD, MaterialField, Reason


@pytest.fixture
def tower(subject: Callable[[str, str], BundledModel]) -> BundledModel:
    return subject("models.rlb", "b_tower")


@pytest.fixture
def tree(subject: Callable[[str, str], BundledModel]) -> BundledModel:
    return subject("models.rlb", "s_tree_oak")


@pytest.fixture
def drone(subject: Callable[[str, str], BundledModel]) -> BundledModel:
    return subject("models.rlb", "drone")


def test_a_later_state_shares_no_vertex_with_the_first(tower: BundledModel) -> None:
    for whole, *later in tower.model.nodes["slots"][:, :, 0].tolist():
        assert whole == NONE or whole not in later


def test_the_tower_marks_its_inside(tower: BundledModel) -> None:
    """Names begin with i and o; what the building is hung on is neither."""
    flags = dict(zip(tower.names, tower.model.nodes["flags"].tolist(), strict=True))
    assert {name for name, value in flags.items() if value == FLAG_INTERNAL} == {"i01_floors", "i02_hall"}
    assert {name for name in flags if name[0] not in "oB"} == {"i01_floors", "i02_hall"}


def test_portals_lead_from_outside_through_the_hall_to_the_lift(tower: BundledModel) -> None:
    draws = tower.draws
    batches = tower.model.batches[draws.batch]
    is_portal = batches["flags"] & 0x0008 != 0
    rooms = batches["opaque6"][is_portal].tolist()
    found = {
        (tower.names[node], tower.names[room])
        for node, room in zip(draws.node[is_portal], rooms, strict=True)
    }
    assert found == {("o01_bunker", "i02_hall"), ("i02_hall", "o01_bunker"), ("i02_hall", "i01_floors")}
    portals = batches[is_portal]
    names = [tower.wear.materials[row & 0xFF].name for row in portals["opaque4"].tolist()]
    kinds = {*zip(map(portal_kind, portals["flags"].tolist()), portals["flags"].tolist(), names, strict=True)}
    assert kinds == {
        (PortalKind.SIGN, 0x118, b"PORTAL_001"),
        (PortalKind.DOORWAY, 0x108, b"DEFAULT"),
        (PortalKind.OPEN, 0x148, b"DEFAULT"),
    }


def test_the_emblem_of_the_tower_shows_the_cell_of_each_clan(game: Path) -> None:
    """Blocks 0 to 7 are the cells 0, 6, 5, 4, 3, 2, 1, 7, as those of the game (field-notes.md 4.4)."""
    library = Archive.read((game / "Material.lib").read_bytes())
    index = library.find(b"B_LBL_01")
    assert index is not None
    emblem = mat0.decode(library.payload(index), library.entries[index].attr2)
    phases = [int(it.keys["phase"][0]) for it in emblem.blocks]
    assert [int(emblem.phases["page"][phase]) for phase in phases] == [0, 6, 5, 4, 3, 2, 1, 7]


def test_lightmap_coordinates_lie_on_the_page(tower: BundledModel) -> None:
    uvs = vertices.STREAM18.view(tower.model.payload(tables.STREAM18))["value"]
    is_lit = np.zeros(len(uvs), bool)
    for batch in tower.model.batches[tower.model.batches["opaque4"] >> 8 == 0]:
        start, count = int(batch["index_start"]), int(batch["index_count"])
        is_lit[tower.model.indices[start : start + count].astype(int) + int(batch["base_vertex"])] = True
    assert 0.5 < is_lit.mean() < 1
    assert uvs[is_lit].min() > 0
    assert uvs.max() < 1024
    assert not uvs[~is_lit].any()


def test_probes_and_paths_refer_to_what_exists(tower: BundledModel) -> None:
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


def test_the_road_sign_stands_still_while_its_materials_play(
    subject: Callable[[str, str], BundledModel], game: Path
) -> None:
    stand = subject("models.rlb", "s_sign")
    assert stand.animation.frame_count == 1
    library = Archive.read((game / "Material.lib").read_bytes())
    found = {row.name: library.find(row.name) or 0 for row in stand.wear.materials}
    blocks = {name: len(mat0.decode(library.payload(index)).blocks) for name, index in found.items()}
    assert (blocks[b"SIGN"], blocks[b"FAILING_LAMP"], blocks[b"BEACON"]) == (3, 1, 1)


def test_they_are_read_as_the_field_notes_say(
    tower: BundledModel, tree: BundledModel, drone: BundledModel
) -> None:
    assert [subject.choice.reading for subject in (tower, tree, drone)] == [FIELD] * 3
    assert {subject.choice.reason for subject in (tower, tree, drone)} == {Reason.BOX}


@pytest.fixture
def walker(subject: Callable[[str, str], BundledModel]) -> BundledModel:
    return subject("models.rlb", "walker")


@pytest.fixture
def of_seeds(subject: Callable[[str, str], BundledModel]) -> BundledModel:
    """The drone again, in the reading of the seeds."""
    return subject("seed.rlb", "drone_seed")


def test_the_box_tells_the_readings_apart(walker: BundledModel, of_seeds: BundledModel) -> None:
    expected = (
        (walker, QuaternionOrder.WXYZ, MaterialField.FIELD),
        (of_seeds, QuaternionOrder.XYZW, MaterialField.SEED),
    )
    for subject, order, material in expected:
        choice = subject.choice
        assert choice.reason is Reason.BOX
        assert choice.reading.quaternion_order is order
        assert choice.reading.material_field is material
        assert choice.errors is not None
        right, wrong = sorted(choice.errors.values())
        assert right < 1e-4
        assert wrong > 0.04


def test_both_readings_show_the_same_drone(drone: BundledModel, of_seeds: BundledModel) -> None:
    assert (drone.draws.triangle_counts()[0, :3] == of_seeds.draws.triangle_counts()[:3, 0]).all()
    for time in (0.0, 17.0, 50.5):
        poses = [subject.animation.pose(time).world for subject in (drone, of_seeds)]
        assert np.abs(poses[0] - poses[1]).max() < 1e-5


def test_field_batches_take_no_lightmap(walker: BundledModel) -> None:
    assert (walker.model.batches["opaque4"] >> 8 == 0xFF).all()
    assert not walker.model.batches["material"].any()


STEPS = pytest.mark.parametrize("movement", [WALK, RUN, TURN], ids=["walk", "run", "turn"])
EITHER = pytest.mark.parametrize("side", ["l", "r"])


@pytest.mark.parametrize("movement", MOVEMENTS, ids=["stand", "walk", "run", "turn"])
def test_a_movement_ends_as_it_begins(walker: BundledModel, movement: Movement) -> None:
    first, last = (walker.animation.pose(frame).local for frame in (movement.first, movement.last))
    root, turning = walker.names.index("root"), walker.names.index("dish")
    others = [node for node in range(len(first)) if node not in {root, turning}]
    assert np.abs(first[others] - last[others]).max() < 1e-3


@STEPS
@EITHER
def test_a_foot_that_is_down_does_not_slide(walker: BundledModel, movement: Movement, side: str) -> None:
    """The root travels over it, or turns about it; between keys it may be a hundredth off."""
    down = [
        time
        for time in np.arange(movement.first, movement.last, 0.5)
        if 0.02
        < Moment(movement, (time - movement.first) / movement.length).step(side)
        < movement.duty - 0.05
    ]
    assert len(down) > movement.duty * movement.length
    spots = []
    for time in down:
        turned = movement.turn / movement.duty * (time - movement.first) / movement.length
        root, foot = (walker.world(time, name)[:3, 3] for name in ("root", f"foot_{side}"))
        foot = rotation(turned) @ (foot - root) + root
        assert abs(foot[2] - ANKLE) < 0.02
        spots.append(foot)
    assert max(np.ptp(part, axis=0).max() for part in unbroken(down, spots)) < 0.03


def rotation(degrees: float) -> npt.NDArray[np.float64]:
    """The turn of the body to the left."""
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([(cos, -sin, 0), (sin, cos, 0), (0, 0, 1)])


def unbroken(times: list[float], spots: list[npt.NDArray[np.float32]]) -> list[list[npt.NDArray[np.float32]]]:
    """The spots of each step: a foot may be down at the start of a movement and again at its end."""
    steps: list[list[npt.NDArray[np.float32]]] = [[]]
    for before, time, spot in zip([times[0], *times], times, spots, strict=False):
        if time - before > 1:
            steps.append([])
        steps[-1].append(spot)
    return steps


def test_the_root_travels_with_the_steps(walker: BundledModel) -> None:
    forward = [float(walker.world(time, "root")[1, 3]) for time in range(int(walker.model.frame_count))]
    assert forward[0] == 0
    assert forward[-1] == max(forward) > 10
    for movement, distance in ((STAND, 0), (WALK, WALK.distance), (RUN, RUN.distance), (TURN, 0)):
        assert abs(forward[movement.last] - forward[movement.first] - distance) < 1e-3


def test_the_turret_makes_one_turn_in_frames_of_its_own(walker: BundledModel) -> None:
    def yaw(time: float) -> float:
        turn = walker.animation.pose(time).local[walker.names.index("turret")]
        return float(np.degrees(np.arctan2(turn[1, 0], turn[0, 0])))

    start, end = walker_motion.TURN
    assert end - start == 4
    assert [round(yaw(start + part)) % 360 for part in range(5)] == [0, 90, 180, 270, 0]
    body = [
        node for node, name in enumerate(walker.names) if name not in {"turret", "dish", "gun_l", "gun_r"}
    ]
    poses = [walker.animation.pose(float(time)).local[body] for time in (start, start + 2.5, end)]
    assert max(np.abs(pose - poses[0]).max() for pose in poses) < 1e-5


def test_its_own_view_draws_the_cockpit_and_the_barrels(walker: BundledModel) -> None:
    slots = walker.model.nodes["slots"]
    shown = {walker.names[node] for node in np.flatnonzero(slots[:, 0, OWN_VIEW] != NONE)}
    assert shown == {"CP_walker", "barrels_l", "barrels_r"}
    cockpit = walker.names.index("CP_walker")
    assert walker.model.nodes["flags"][cockpit] == 0x0020
    assert (slots[cockpit] != NONE).sum() == 1
