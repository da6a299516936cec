"""Curves: what the engine samples, and speeds that follow from it, against numbers worked out by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, turn
from viewer.geometry.transforms import angles
from viewer.model.mesh.pose.interpolation import rotations
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.session.opened.document import Document
from viewer.session.play.keys.curves import AXES, CurveKind, NodeMotion

MOVING, STILL = range(2)


@pytest.fixture
def document(tmp_path: Path) -> Document:
    """A node that goes 3, 4 in 10 frames and turns by 90 degrees about Z; then it rests until frame 20."""
    keys = [
        Key(0),
        Key(10, position=(3, 4, 0), quaternion=turn((0, 0, 1), 90)),
        Key(20, position=(3, 4, 0), quaternion=turn((0, 0, 1), 90)),
    ]
    path = tmp_path / "moving.msh"
    path.write_bytes(ModelBuilder.of([Node("moving", keys=keys), Node("still", keys=[Key()])]).build())
    return Document.open(FileStore(), Source(Address.given(str(path))))


@pytest.mark.parametrize("kind", CurveKind)
def test_in_a_single_frame_nothing_moves(tmp_path: Path, kind: CurveKind) -> None:
    builder = ModelBuilder.of([Node("moving", keys=[Key(0), Key(10, position=(3, 4, 0))])])
    builder.frame_count = 1
    path = tmp_path / "short.msh"
    path.write_bytes(builder.build())
    motion = NodeMotion(Document.open(FileStore(), Source(Address.given(str(path)))), MOVING)
    values = motion.curves(kind).values
    assert np.array_equal(values, values[:, :1].repeat(values.shape[1], axis=1))


@pytest.mark.parametrize("kind", CurveKind)
def test_each_kind_has_its_curves_from_end_to_end(document: Document, kind: CurveKind) -> None:
    curves = NodeMotion(document, MOVING).curves(kind)
    assert curves.values.shape == (len(AXES[kind]), len(curves.times))
    assert (curves.times[0], curves.times[-1]) == (0, 20)
    assert np.isfinite(curves.values).all()


@pytest.mark.parametrize("kind", [CurveKind.POSITION, CurveKind.QUATERNION])
def test_curves_are_what_a_pose_has(document: Document, kind: CurveKind) -> None:
    curves = NodeMotion(document, MOVING).curves(kind)
    for place in range(0, len(curves.times), 7):
        pose = document.animation.pose(curves.times[place])
        shown = pose.position if kind is CurveKind.POSITION else pose.quaternion
        assert curves.values[:, place].tolist() == shown[MOVING].tolist()
    assert curves.key_times.tolist() == [0, 10, 20]
    for key, time in enumerate(curves.key_times):
        at_key = curves.values[:, np.argmin(np.abs(curves.times - time))]
        assert curves.key_values[:, key] == pytest.approx(at_key, abs=1e-6)


def test_angles_in_degrees(document: Document) -> None:
    curves = NodeMotion(document, MOVING).curves(CurveKind.DEGREES)
    half = np.argmin(np.abs(curves.times - 5))
    assert abs(curves.values[2, half]) == pytest.approx(45, abs=0.01)
    assert abs(curves.key_values[2, 1]) == pytest.approx(90, abs=0.01)


def test_speeds_are_per_frame(document: Document) -> None:
    """5 in 10 frames and 9 degrees a frame; nothing while it rests."""
    for kind, expected in ((CurveKind.SPEED, 0.5), (CurveKind.TURNING, 9.0)):
        curves = NodeMotion(document, MOVING).curves(kind)
        moving = (curves.times > 0) & (curves.times <= 9.9)
        assert curves.values[0][moving] == pytest.approx(np.full(moving.sum(), expected), rel=1e-3)
        assert curves.values[0][curves.times > 10.2] == pytest.approx(0, abs=1e-6)
        assert not len(curves.key_times)


def test_single_precision_is_near_to_double(document: Document) -> None:
    error = NodeMotion(document, MOVING).curves(CurveKind.ERROR).values[0]
    assert 0 < error.max() < 1e-6
    assert not NodeMotion(document, STILL).curves(CurveKind.ERROR).values.any()


@pytest.mark.parametrize("kind", [CurveKind.POSITION, CurveKind.QUATERNION, CurveKind.DEGREES])
@pytest.mark.parametrize("axis", [0, 2])
def test_a_key_with_another_value_has_that_and_stays_a_rotation(
    document: Document, kind: CurveKind, axis: int
) -> None:
    motion = NodeMotion(document, MOVING)
    before = motion.curves(kind).key_values[:, 1]
    wanted = {CurveKind.POSITION: 7.5, CurveKind.QUATERNION: -0.6, CurveKind.DEGREES: 35.0}[kind]
    moved = motion.with_value(kind, 1, axis, wanted)
    if moved.position is not None:
        expected = before.copy()
        expected[axis] = wanted
        assert moved.position == pytest.approx(expected)
        return
    assert moved.quaternion is not None
    found = np.array(moved.quaternion)
    assert np.linalg.norm(found) == pytest.approx(1)
    others = np.arange(len(before)) != axis
    if kind is CurveKind.QUATERNION:
        assert found[axis] == pytest.approx(wanted)
        ratio = found[others] @ before[others]
        assert ratio == pytest.approx(np.linalg.norm(found[others]) * np.linalg.norm(before[others]))
        return
    degrees = angles(rotations(found[None])[0])
    assert degrees[axis] == pytest.approx(wanted)
    assert degrees[others] == pytest.approx(before[others], abs=1e-3)


def test_a_quaternion_of_one_component_gets_another_one(document: Document) -> None:
    moved = NodeMotion(document, STILL).with_value(CurveKind.QUATERNION, 0, 0, 0.8)
    assert moved.quaternion == pytest.approx((0.8, 0, 0, 0.6))
    assert NodeMotion(document, STILL).with_value(CurveKind.QUATERNION, 0, 0, 3).quaternion == (1, 0, 0, 0)
