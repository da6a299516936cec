"""Guesses of how channels move their nodes."""

from __future__ import annotations

import pytest

from tests.builders import Key, ModelBuilder, Node, turn
from viewer.formats.msh.keys import QuaternionOrder
from viewer.model.clips.clip import Channel, Movement
from viewer.model.clips.movements import with_movements
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.skeleton import Skeleton

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def guess(*keys: Key, node: int = 0, first: float = 0.0) -> Movement | None:
    model = ModelBuilder([Node("turret", keys=[*keys])]).model()
    channel = Channel(0, node, first, 10.0, 0.0, 1.0, 0.0, 0)
    (found,) = with_movements((channel,), Animation(model, Skeleton(model), QuaternionOrder.XYZW))
    return found.movement


@pytest.mark.parametrize(("axis", "expected"), [(Z, "yaw"), (X, "pitch"), (Y, "roll")])
def test_a_turn_goes_by_its_axis(axis: tuple[int, int, int], expected: str) -> None:
    tilted = turn(X, 3)
    assert guess(Key(0, quaternion=tilted), Key(10, quaternion=turn(axis, 60))) == expected
    half, whole = Key(5, quaternion=turn(axis, 180)), Key(10, quaternion=turn(axis, 360))
    assert guess(Key(0), half, whole) == expected


def test_a_node_that_only_moves_slides() -> None:
    assert guess(Key(0), Key(10, (0, 2, 0))) is Movement.SLIDE


def test_what_does_not_move_has_no_guess() -> None:
    assert guess(Key(0), Key(10)) is None
    assert guess(Key(0), Key(10, (0, 2, 0)), node=1) is None
    assert guess(Key(0), Key(10, (0, 2, 0)), first=float("nan")) is None
