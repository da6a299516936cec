"""Guesses of what states are for, and which are played in a row."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, turn
from tests.controllers import State, build
from viewer.formats.msh.keys import QuaternionOrder
from viewer.model.clips.clip import Channel, Movement
from viewer.model.clips.controller import clips
from viewer.model.clips.guesses import LONGEST, chains, with_movements
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.skeleton import Skeleton


def names(*states: State) -> list[str]:
    return [clip.name for clip in clips(build(states))]


def test_a_name_is_guessed_from_the_velocity() -> None:
    boxes = [(-2, 2), (2, 7.5), (7.5, 15.5), (-6, -2)]
    assert names(*(State(velocity=box) for box in boxes)) == ["stand", "walk", "run", "backward"]


@pytest.mark.parametrize("spin", [(0.5, 3), (-3, -0.5)])
def test_standing_with_a_spin_is_turning(spin: tuple[float, float]) -> None:
    assert names(State(spin=spin), State(velocity=(3, 5), spin=spin)) == ["turn", "walk"]


def test_names_are_unique_and_a_state_without_a_guess_has_its_number() -> None:
    states = State(), State(velocity=(-9, 9)), State(), State(velocity=(float("nan"), 1))
    assert names(*states) == ["stand", "state 1", "stand 2", "state 3"]
    assert [clip.is_guess for clip in clips(build(states))] == [True, False, True, False]


def test_a_signalling_nan_gives_no_guess() -> None:
    """NumPy warns of one that it converts, and pytest makes an error of that."""
    control = build([State()])
    control.states["velocity_min"].view(np.uint32)[:] = 0x7F800001
    assert [clip.is_guess for clip in clips(control)] == [False]


def test_the_only_forward_state_is_a_walk() -> None:
    assert names(State(velocity=(8, 20))) == ["walk"]


def test_states_without_cost_between_them_are_one_chain() -> None:
    """The cost is that of the destination in its row: 1 is followed by 2, and 2 by 1."""
    costs = {(1, 2): 0.0, (2, 1): 0.0, (0, 1): 3.0}
    assert chains(build([State()] * 3, costs=costs)) == [(0,), (1, 2), (2, 1)]
    assert chains(build([State()] * 3, costs={(0, 1): 0.0})) == [(0, 1), (1,), (2,)]


def test_a_chain_has_an_end() -> None:
    count = LONGEST + 10
    cycle = {(state, (state + 1) % count): 0.0 for state in range(count)}
    assert {len(chain) for chain in chains(build([State()] * count, costs=cycle))} == {LONGEST}


def test_a_state_with_several_free_changes_stays_alone() -> None:
    assert chains(build([State()] * 3, costs={(0, 1): 0.0, (0, 2): 0.0})) == [(0,), (1,), (2,)]


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
