"""The walker walks: what its nodes do. And the drone, in both readings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from assets.sample.gait import CYCLE, DUTY, GROUND_SPEED, OFFSET
from assets.sample.walker import BREAKABLE
from assets.sample.walker_legs import ANKLE
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
    assert walker.model.frame_count > CYCLE >= 60
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


@pytest.mark.parametrize("side", ["l", "r"])
def test_a_foot_that_is_down_moves_with_the_ground(walker: Subject, side: str) -> None:
    start = -OFFSET[side] * CYCLE
    times = [time for time in np.arange(0, 2 * CYCLE, 1.0) if (time - start) % CYCLE < DUTY * CYCLE - 2]
    assert len(times) > CYCLE
    for time in times:
        here, later = walker.world(time, f"foot_{side}"), walker.world(time + 1, f"foot_{side}")
        assert abs(here[2, 3] - ANKLE) < 0.01
        assert np.abs(here[:3, :3] - np.eye(3)).max() < 0.01
        assert np.abs(later[:3, 3] - here[:3, 3] - (0, -GROUND_SPEED, 0)).max() < 0.01


@pytest.mark.parametrize("side", ["l", "r"])
def test_a_foot_in_the_air_clears_the_ground(walker: Subject, side: str) -> None:
    heights = [walker.world(time, f"foot_{side}")[2, 3] for time in range(CYCLE)]
    assert min(heights) > ANKLE - 0.02
    assert max(heights) > ANKLE + 0.6


def test_no_part_of_a_leg_comes_off(walker: Subject) -> None:
    """Joints keep their distances; only what slides or recoils changes its place in its parent."""
    for part in ("thigh", "shin", "foot", "toe_in", "heel"):
        node = walker.names.index(f"{part}_l")
        transforms = [walker.animation.pose(time).position[node] for time in range(0, CYCLE, 4)]
        assert np.ptp(transforms, axis=0).max() < 1e-3


def test_turret_and_guns_move_on_their_own(walker: Subject) -> None:
    def yaw(node: str, time: float) -> float:
        turn = walker.animation.pose(time).local[walker.names.index(node)]
        return float(np.degrees(np.arctan2(turn[1, 0], turn[0, 0])))

    assert max(yaw("turret", t) for t in range(128)) - min(yaw("turret", t) for t in range(128)) > 60
    guns = [walker.animation.pose(30.0).local[walker.names.index(f"gun_{side}")] for side in "lr"]
    assert np.abs(guns[0][:3, :3] - guns[1][:3, :3]).max() > 0.02


@pytest.mark.parametrize(("side", "shot"), [("l", 40), ("r", 96)])
def test_barrels_recoil_when_their_gun_fires(walker: Subject, side: str, shot: int) -> None:
    node = walker.names.index(f"barrels_{side}")
    rest, back, home = (walker.animation.pose(shot + after).position[node][1] for after in (0, 1, 9.0))
    assert rest - back > 0.3
    assert abs(home - rest) < 0.01
