"""Moving and turning a node in all of its keys: the whole animation of it, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import turn
from tests.model.edit.drafts import edited, planned
from tests.model.edit.keys.golden import GOLDEN, animation
from viewer.errors import EditError, UsageError
from viewer.model.edit.keys.place_node import PlaceNode
from viewer.model.mesh.animation import matrices
from viewer.model.mesh.model import Model

QUARTER = turn((0, 0, 1), 90)


def test_every_pose_is_moved_by_the_offset() -> None:
    before, after = animation(Model.read(GOLDEN)), animation(edited(GOLDEN, PlaceNode(0, (1, 2, 3))))
    for time in (0, 2.5, 6, 8):
        moved = after.sample(time).position - before.sample(time).position
        assert moved[0] == pytest.approx((1, 2, 3), abs=1e-6)
        assert not moved[1:].any()


def test_every_key_is_turned_in_the_space_of_the_parent() -> None:
    before, after = animation(Model.read(GOLDEN)), animation(edited(GOLDEN, PlaceNode(0, turn=QUARTER)))
    rotation = matrices(np.array([QUARTER], np.float32), np.zeros((1, 3), np.float32))[0]
    for time in (0, 4, 8):
        old, new = before.pose(time), after.pose(time)
        assert new.local[0, :3, :3] == pytest.approx(rotation[:3, :3] @ old.local[0, :3, :3], abs=2e-4)
        assert (new.local[0, :3, 3] == old.local[0, :3, 3]).all(), "it turns around its own origin"
        assert (new.local[1:] == old.local[1:]).all()


def test_one_key_can_be_placed_alone() -> None:
    model, before = edited(GOLDEN, PlaceNode(0, (1, 0, 0), key=1)), Model.read(GOLDEN)
    assert (model.keys["position"] - before.keys["position"])[:, 0].tolist() == [0, 1, 0, 0]


def test_nothing_is_nothing() -> None:
    assert planned(GOLDEN, PlaceNode(0)).splices == ()


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (PlaceNode(0, key=9), EditError),
        (PlaceNode(7), EditError),
        (PlaceNode(0, (3.4e38, 3.4e38, 3e39)), EditError),
        (PlaceNode(0, (1, 2)), UsageError),
        (PlaceNode(0, (1, 2, float("nan"))), UsageError),
        (PlaceNode(0, turn=(2, 0, 0, 0)), UsageError),
    ],
)
def test_what_cannot_be_is_refused(change: PlaceNode, error: type[Exception]) -> None:
    with pytest.raises(error):
        planned(GOLDEN, change)
