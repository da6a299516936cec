"""The walker walks: what its nodes do. And the drone, in both readings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from assets.sample.spec import OWN_VIEW
from assets.sample.walker import motion as walker_motion
from assets.sample.walker.gait import MOVEMENTS, RUN, STAND, TURN, WALK, Moment, Movement
from assets.sample.walker.legs import ANKLE
from assets.sample.walker.model import BREAKABLE
from tests.assets.conftest import Subject
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.nodes import NONE
from viewer.model.mesh.reading import MaterialField, Reason


@pytest.fixture
def walker(subject: Callable[[str, str], Subject]) -> Subject:
    return subject("models.rlb", "walker")


@pytest.fixture
def drone(subject: Callable[[str, str], Subject]) -> Subject:
    return subject("models.rlb", "drone")


@pytest.fixture
def of_seeds(subject: Callable[[str, str], Subject]) -> Subject:
    """The drone again, in the reading of the seeds."""
    return subject("seed.rlb", "drone_seed")


def test_it_is_as_large_as_promised(walker: Subject) -> None:
    assert len(walker.model.nodes) >= 20
    assert walker.model.frame_count > 60
    assert walker.model.header is not None
    low, high = walker.model.header["hull"].min(axis=0), walker.model.header["hull"].max(axis=0)
    assert 7 < high[2] - low[2] < 10
    assert abs(low[2]) < 0.05


def test_three_levels_of_detail_and_a_few_parts_that_break(walker: Subject) -> None:
    counts = walker.draws.triangle_counts()
    assert (counts[0, :2] > 2 * counts[0, 1:3]).all()
    assert counts[0, 2] > 0
    slots = walker.model.nodes["slots"]
    broken = np.flatnonzero(slots[:, 1, 0] != NONE)
    assert {walker.names[node] for node in broken} == BREAKABLE
    for node in broken:
        assert set(slots[node, 0].tolist()) & set(slots[node, 1].tolist()) == {NONE}
    assert (slots[:, 2] == NONE).all()


def test_the_box_tells_the_readings_apart(walker: Subject, of_seeds: Subject) -> None:
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


def test_both_readings_show_the_same_drone(drone: Subject, of_seeds: Subject) -> None:
    assert (drone.draws.triangle_counts()[0, :3] == of_seeds.draws.triangle_counts()[:3, 0]).all()
    for time in (0.0, 17.0, 50.5):
        poses = [subject.animation.pose(time).world for subject in (drone, of_seeds)]
        assert np.abs(poses[0] - poses[1]).max() < 1e-5


def test_field_batches_take_no_lightmap(walker: Subject) -> None:
    assert (walker.model.batches["opaque4"] >> 8 == 0xFF).all()
    assert not walker.model.batches["material"].any()


STEPS = pytest.mark.parametrize("movement", [WALK, RUN, TURN], ids=["walk", "run", "turn"])
EITHER = pytest.mark.parametrize("side", ["l", "r"])


@pytest.mark.parametrize("movement", MOVEMENTS, ids=["stand", "walk", "run", "turn"])
def test_a_movement_ends_as_it_begins(walker: Subject, movement: Movement) -> None:
    first, last = (walker.animation.pose(frame).local for frame in (movement.first, movement.last))
    root, turning = walker.names.index("root"), walker.names.index("dish")
    others = [node for node in range(len(first)) if node not in {root, turning}]
    assert np.abs(first[others] - last[others]).max() < 1e-3


@STEPS
@EITHER
def test_a_foot_that_is_down_does_not_slide(walker: Subject, movement: Movement, side: str) -> None:
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


@STEPS
@EITHER
def test_a_foot_in_the_air_clears_the_ground(walker: Subject, movement: Movement, side: str) -> None:
    frames = range(movement.first, movement.last)
    heights = [walker.world(time, f"foot_{side}")[2, 3] for time in frames]
    assert min(heights) > ANKLE - 0.02
    assert max(heights) > ANKLE + 0.7 * movement.lift


def test_both_feet_leave_the_ground_only_when_it_runs(walker: Subject) -> None:
    def is_flying(time: float) -> bool:
        return all(walker.world(time, f"foot_{side}")[2, 3] > ANKLE + 0.1 for side in "lr")

    assert not any(map(is_flying, range(WALK.first, WALK.last)))
    assert any(map(is_flying, range(RUN.first, RUN.last)))


def test_the_root_travels_with_the_steps(walker: Subject) -> None:
    forward = [float(walker.world(time, "root")[1, 3]) for time in range(int(walker.model.frame_count))]
    assert forward[0] == 0
    assert forward[-1] == max(forward) > 10
    for movement, distance in ((STAND, 0), (WALK, WALK.distance), (RUN, RUN.distance), (TURN, 0)):
        assert abs(forward[movement.last] - forward[movement.first] - distance) < 1e-3


def test_no_part_of_a_leg_comes_off(walker: Subject) -> None:
    """Joints keep their distances; only what slides or recoils changes its place in its parent."""
    for part in ("thigh", "shin", "foot", "toe_in", "heel"):
        node = walker.names.index(f"{part}_l")
        transforms = [walker.animation.pose(time).position[node] for time in range(0, 81, 4)]
        assert np.ptp(transforms, axis=0).max() < 1e-3


def test_the_turret_makes_one_turn_in_frames_of_its_own(walker: Subject) -> None:
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


@EITHER
def test_guns_rise_and_barrels_recoil_when_they_fire(walker: Subject, side: str) -> None:
    gun, barrels = (walker.names.index(f"{part}_{side}") for part in ("gun", "barrels"))
    low, high = (walker.animation.pose(time).local[gun][2, 1] for time in walker_motion.ELEVATION)
    assert low < -0.1
    assert high > 0.5
    start, end = walker_motion.FIRE
    rest, back, home = (walker.animation.pose(time).position[barrels][1] for time in (start, start + 1, end))
    assert rest - back > 0.3
    assert abs(home - rest) < 1e-3


def test_its_own_view_draws_the_cockpit_and_the_barrels(walker: Subject) -> None:
    slots = walker.model.nodes["slots"]
    shown = {walker.names[node] for node in np.flatnonzero(slots[:, 0, OWN_VIEW] != NONE)}
    assert shown == {"CP_walker", "barrels_l", "barrels_r"}
    cockpit = walker.names.index("CP_walker")
    assert walker.model.nodes["flags"][cockpit] == 0x0020
    assert (slots[cockpit] != NONE).sum() == 1
