"""Why a node is where it is: number by number, against the sampling of all nodes at once, and the spec."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, turn
from tests.model.edit.drafts import corpus_models
from viewer.formats.msh.keys import QuaternionOrder
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.animation import Animation, Moment
from viewer.model.mesh.pose.pose_trace import PoseSource, PoseTrace, trace, traces
from viewer.model.mesh.pose.skeleton import Skeleton

MOVING, STILL = range(2)


def animation_of(model: Model) -> Animation:
    return Animation(model, Skeleton(model), QuaternionOrder.XYZW)


@pytest.fixture(scope="module")
def animation() -> Animation:
    """A node with keys at 0, 4 and 8, along an arc and then so near that it is linear; one stands still."""
    keys = [
        Key(0, position=(0, 0, 0), quaternion=turn((0, 0, 1), 0)),
        Key(4, position=(4, 2, 0), quaternion=turn((0, 0, 1), 90)),
        Key(8, position=(8, 2, 0), quaternion=turn((0, 0, 1), 90.05)),
    ]
    return animation_of(ModelBuilder.of([Node("moving", keys=keys), Node("still", keys=[Key()])]).model())


@pytest.mark.parametrize(
    ("time", "shifted", "frame"),
    [
        (0.0, -0.5, 0),
        (0.99999994, 0.49999994, 0),
        (1.5, 1.0, 1),
        (3.0, 2.5, 2),
        (7.0, 6.5, 6),
        (-0.25, -0.75, -1),
    ],
)
def test_the_frame_of_a_time_is_that_of_the_table(
    animation: Animation, time: float, shifted: float, frame: int
) -> None:
    found = trace(animation, MOVING, time)
    assert found.shifted == pytest.approx(shifted, abs=1e-8)
    assert found.frame == frame


@pytest.mark.parametrize(
    ("node", "time", "source", "keys"),
    [
        (MOVING, 2.0, PoseSource.ARC, (0, 1)),
        (MOVING, 6.0, PoseSource.LINEAR, (1, 2)),
        (MOVING, 4.0, PoseSource.AT_KEY, (1, None)),
        (MOVING, 0.0, PoseSource.AT_KEY, (0, None)),
        (MOVING, 8.6, PoseSource.FALLBACK, (2, None)),
        (MOVING, 99.0, PoseSource.OUTSIDE, (2, None)),
        (MOVING, -3.0, PoseSource.OUTSIDE, (2, None)),
        (STILL, 2.0, PoseSource.NO_MAP, (3, None)),
    ],
)
def test_what_decides_the_pose(
    animation: Animation, node: int, time: float, source: PoseSource, keys: tuple[int, int | None]
) -> None:
    found = trace(animation, node, time)
    assert (found.source, (found.key, found.following)) == (source, keys)


def test_the_numbers_between_two_keys(animation: Animation) -> None:
    found = trace(animation, MOVING, 3.0)
    assert (found.word_row, found.word, found.fallback) == (2, 0, 2)
    assert found.alpha == 0.75
    assert found.dot == pytest.approx(np.cos(np.radians(45)), abs=1e-4)
    assert found.position == found.exact_position == (3.0, 1.5, 0.0)
    assert trace(animation, MOVING, 7.0).exact_position == (7.0, 2.0, 0.0)
    angle = 2 * np.degrees(np.arccos(found.exact_quaternion[0]))
    assert angle == pytest.approx(67.5, abs=0.02)
    assert 0 < found.error < 1e-6


def test_a_moment_of_two_times_has_two_traces(animation: Animation) -> None:
    def at(moment: Moment) -> list[tuple[float, float]]:
        return [(found.time, weight) for found, weight in traces(animation, MOVING, moment)]

    assert at(Moment(2.0)) == [(2.0, 1.0)]
    assert at(Moment(2.0, 5.0, 0.25)) == [(2.0, 0.75), (5.0, 0.25)]
    assert at(Moment(2.0, 5.0, 1.0)) == at(Moment(-1.0, 5.0, 0.3)) == [(5.0, 1.0)]
    assert at(Moment(2.0, -5.0, 0.5)) == [(2.0, 1.0)]
    assert at(Moment(2.0, driven=((MOVING, 7.0),))) == [(7.0, 1.0)]


def agrees(animation: Animation, node: int, time: float) -> PoseTrace:
    """The trace, which is exactly the sample of all nodes."""
    found = trace(animation, node, time)
    sample = animation.sample(time)
    assert found.quaternion == tuple(sample.quaternion[node].tolist())
    assert found.position == tuple(sample.position[node].tolist())
    assert found.key is None or found.key == sample.key[node]
    assert (found.following is not None) == sample.is_interpolated[node]
    return found


def test_traces_agree_with_samples(animation: Animation) -> None:
    for time in np.linspace(-1, 10, 221).tolist():
        for node in (MOVING, STILL):
            agrees(animation, node, time)


def test_traces_agree_with_samples_on_the_corpora(samples: Path) -> None:
    seen = set()
    for corpus in ("seed", "field"):
        for _name, data in corpus_models(samples, corpus):
            animation = animation_of(Model.read(data))
            for time in np.linspace(-1, animation.frame_count + 1, 13).tolist():
                for node in range(0, len(animation.nodes), 7):
                    seen.add(agrees(animation, node, time).source)
    assert {PoseSource.ARC, PoseSource.AT_KEY, PoseSource.NO_MAP, PoseSource.OUTSIDE} <= seen
