"""A controller plays the frames of its model that it played before they were moved."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.model.controllers import State, build
from tests.model.edit.neighbors.steps import MODELS, Edited, edited, payload
from tests.share import examples
from viewer.errors import EditError, UsageError
from viewer.formats.archive.nres import Archive
from viewer.formats.neighbors import control
from viewer.formats.neighbors.control import Control
from viewer.model.clips.controller import read_controller
from viewer.model.edit.change import Topic
from viewer.model.edit.draft import Draft, FrameMove
from viewer.model.edit.neighbors.follow_nodes import FollowDurations, FollowFrames
from viewer.model.edit.nodes.node_count import AddNode
from viewer.model.edit.nodes.track_edit import Retime, SetFrameCount
from viewer.model.kinds.registry import by_id
from viewer.model.mesh.model import Model
from viewer.model.store.address import CURRENT

SLOWER = Retime(0, 1000, 0, 2000)
FRAMES = ("frames_a", "frames_b")


def control_of(archive: Archive) -> Control:
    return control.decode(payload(archive, "walker.ctl"))


def both(made: Edited) -> tuple[Control, Control]:
    return control_of(made.before), control_of(made.after)


def test_the_walk_plays_all_of_the_stretched_walk_and_takes_longer() -> None:
    made = edited(MODELS, "walker.msh", SLOWER)
    assert made.changed == {"walker.msh", "walker.ctl"}
    assert made.step.topics == (Topic.DURATIONS, Topic.REFERENCES)
    old, new = (read_controller(CURRENT, it).clip_named("walk") for it in both(made))
    assert old is not None
    assert new is not None
    assert new.frames_a == tuple(2 * frame for frame in old.frames_a)
    before, after = both(made)
    stretched = (before.states["frames_a"] >= 0).all(axis=1) & (np.ptp(before.states["frames_a"], axis=1) > 0)
    factors = np.where(stretched, 2, 1)
    assert (after.states["milliseconds"] == before.states["milliseconds"] * factors).all()


def test_channels_follow_too_and_nothing_else_changes() -> None:
    before, after = both(edited(MODELS, "walker.msh", SLOWER))
    assert (after.channels["first"] == before.channels["first"] * 2).all()
    for name in (it for it in before.states.dtype.names or () if it not in (*FRAMES, "milliseconds")):
        assert before.states[name].tobytes() == after.states[name].tobytes()
    for name in (it for it in before.channels.dtype.names or () if it not in ("first", "last")):
        assert before.channels[name].tobytes() == after.channels[name].tobytes()
    assert before.costs.tobytes() == after.costs.tobytes()
    assert (before.parameters, before.counts, before.rest) == (after.parameters, after.counts, after.rest)


def test_frames_and_durations_can_be_left() -> None:
    assert edited(MODELS, "walker.msh", SLOWER, declined=[Topic.REFERENCES]).changed == {"walker.msh"}
    before, after = both(made := edited(MODELS, "walker.msh", SLOWER, declined=[Topic.DURATIONS]))
    assert made.step.topics == (Topic.REFERENCES,)
    assert (after.states["milliseconds"] == before.states["milliseconds"]).all()
    assert edited(MODELS, "walker.msh", SetFrameCount(300)).changed == {"walker.msh"}


def test_the_keys_of_one_node_move_the_frames_of_its_channels_alone() -> None:
    before = control_of(Archive.read(MODELS.read_bytes()))
    node = int(before.channels["node"][0])
    change = Retime(0, 1000, 0, 2000, node)
    _, after = both(made := edited(MODELS, "walker.msh", change))
    assert made.step.topics == (Topic.REFERENCES,)
    is_driven = before.channels["node"] == node
    assert (after.channels["last"] == np.where(is_driven, 2, 1) * before.channels["last"]).all()
    assert after.states.tobytes() == before.states.tobytes()
    _, later = both(
        edited(MODELS, "walker.msh", AddNode("lamp", None, 0), Retime(0, 1000, 0, 2000, node + 1))
    )
    assert (later.channels["last"] == after.channels["last"]).all()
    assert (later.channels["node"] == before.channels["node"] + 1).all()


@settings(max_examples=examples(60), database=None, deadline=None)
@given(st.integers(0, 99), st.integers(1, 60), st.integers(1, 3))
def test_every_state_begins_and_ends_at_the_keys_at_which_it_did(start: int, size: int, factor: int) -> None:
    end = start + size
    change = Retime(start, end, start, start + size * factor, moves_later=True)
    try:
        made = edited(MODELS, "walker.msh", change)
    except EditError:
        return
    old, new = (Model.read(payload(it, "walker.msh")).keys["time"] for it in (made.before, made.after))
    times = dict(zip(old.tolist(), new.tolist(), strict=True))
    before, after = both(made)
    for name in FRAMES:
        pairs = zip(before.states[name].ravel().tolist(), after.states[name].ravel().tolist(), strict=True)
        assert all(now == times.get(was, now) if was >= 0 else now == was for was, now in pairs)


PAIRS = st.tuples(st.floats(-5, 120, width=32), st.floats(-5, 120, width=32))


@given(st.lists(PAIRS, min_size=1, max_size=8), st.integers(0, 90), st.integers(0, 40), st.booleans())
def test_a_move_back_brings_back_every_pair_of_its_range(
    pairs: list[tuple[float, float]], start: int, size: int, moves_later: bool
) -> None:
    there = FrameMove(start, start + size, start + 200, start + size + 200, moves_later)
    back = FrameMove(start + 200, start + size + 200, start, start + size)
    old = np.array(pairs, np.float64)
    old = np.floor(old)
    new = there.pairs(old)
    is_inside = ((old >= start) & (old <= start + size)).all(axis=1)
    moved = is_inside & (new != old).all(axis=1)
    assert (back.pairs(new)[moved] == old[moved]).all()
    assert (new[(old < start).any(axis=1) & (old <= start).all(axis=1)] <= start).all()
    is_negative = (old < 0).any(axis=1)
    assert (new[is_negative] == old[is_negative]).all()


@pytest.mark.parametrize(
    ("pair", "moves_later", "expected"),
    [
        ((20, 40), False, (20, 40)),  # it ends where the range begins
        ((60, 80), False, (60, 80)),  # it begins where the range ends, and what is there stays
        ((60, 80), True, (80, 100)),
        ((60, 40), False, (80, 40)),  # it plays backwards
        ((30, 60), False, (30, 80)),
        ((60, 60), False, (80, 80)),
        ((40.5, 50), False, (41, 60)),
        ((-1, -1), True, (-1, -1)),
        ((0, 70), True, (0, 90)),
    ],
)
def test_frames_of_pairs(pair: tuple[float, float], moves_later: bool, expected: tuple[float, float]) -> None:
    move = FrameMove(40, 60, 40, 80, moves_later)
    assert move.pairs(np.array([pair], np.float64)).tolist() == [[*expected]]


def test_a_pair_that_would_be_turned_round_and_numbers_that_are_none_stay() -> None:
    move = FrameMove(40, 60, 100, 120)
    pairs = np.array([(50, 70), (np.nan, 50), (np.inf, 50)])
    assert np.array_equal(move.pairs(pairs), pairs, equal_nan=True)


def test_a_state_takes_as_long_as_the_pair_that_it_plays() -> None:
    """Pair A counts, also from frame 0 on; a state without it plays pair B."""
    states = [State((0, 10), (10, 20)), State((-1, -1), (0, 10)), State((10, 20), (0, 10)), State((5, 5))]
    draft = Draft(by_id("control"), control.encode(build(states)))
    FollowDurations(0, 10, 0, 20).apply(draft)
    assert control.decode(draft.data).states["milliseconds"].tolist() == [2000, 2000, 1000, 1000]


@pytest.mark.parametrize(
    ("pair", "end", "expected"), [((0, 1), 20, 2000), ((0, 2), 5, 500), ((4, 4), 20, 1000)]
)
def test_a_state_of_one_frame_follows_too(pair: tuple[float, float], end: float, expected: float) -> None:
    draft = Draft(by_id("control"), control.encode(build([State(pair)])))
    FollowDurations(0, 10, 0, end).apply(draft)
    assert control.decode(draft.data).states["milliseconds"].tolist() == [expected]


def test_nothing_else_than_a_controller_has_states() -> None:
    draft = Draft(by_id("wear"), b"1\r\n0 M\r\n")
    for change in (FollowFrames(0, 1, 0, 2), FollowDurations(0, 1, 0, 2)):
        with pytest.raises(UsageError, match="is not a controller"):
            change.apply(draft)
