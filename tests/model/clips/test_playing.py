"""Playing: the frames of a clip at a time, and what the channels do."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from tests.controllers import NONE, Drive, State, build
from viewer.model.clips import playing
from viewer.model.clips.clip import FRAME_RATE
from viewer.model.clips.controller import Controller, channels, clips
from viewer.model.mesh.animation import Moment

INF = float("inf")


def controller(
    *states: State, drives: tuple[Drive, ...] = (), free: tuple[tuple[int, int], ...] = ()
) -> Controller:
    decoded = build(states, drives, dict.fromkeys(free, 0.0))
    return Controller("a.ctl", (), clips(decoded), channels(decoded))


def moment(state: State, seconds: float) -> Moment:
    found = controller(state)
    return playing.moment(found, found.clips[0], seconds)


@pytest.mark.parametrize(("seconds", "frame"), [(0.0, 5), (0.25, 9), (0.5, 13), (0.625, 7), (-0.125, 11)])
def test_a_clip_plays_its_frames_in_its_own_time_again_and_again(seconds: float, frame: float) -> None:
    assert moment(State((5, 13), milliseconds=500), seconds) == Moment(frame)


def test_a_clip_may_run_backwards() -> None:
    assert moment(State((13, 5)), 0.25) == Moment(11)


def test_both_pairs_are_blended_by_the_weight_of_the_second() -> None:
    assert moment(State((0, 8), (20, 24), 0.25), 0.5) == Moment(4, 22, 0.25)


def test_one_pair_alone_is_not_blended() -> None:
    assert moment(State((0, 8), NONE, 0.25), 0.5) == Moment(4)
    assert moment(State(NONE, (20, 24), 0.25), 0.5) == Moment(22)
    assert moment(State(NONE, NONE, 0.25), 0.5) == Moment(0)


def test_a_clip_without_a_length_plays_at_our_rate() -> None:
    state = State((5, 35), milliseconds=0)
    assert controller(state).clips[0].seconds is None
    assert moment(state, 1.0) == Moment(5 + FRAME_RATE)
    assert moment(State((5, 5), milliseconds=0), 1.0) == Moment(5)


@pytest.mark.parametrize("number", [INF, -INF, float("nan")])
def test_numbers_that_are_not_finite_play_nothing(number: float) -> None:
    assert moment(State((number, 4)), 0.5) == Moment(0)
    assert moment(State((0, 8), milliseconds=number), 0.0) == Moment(0)
    assert moment(State((0, 8), (2, 2), number), 0.5) == Moment(4, 2, 0.0)


def test_a_chain_goes_on_with_its_next_state_and_starts_again() -> None:
    states = State((0, 10)), State((20, 30), milliseconds=500)
    chain = controller(*states, free=((0, 1), (1, 0)))
    frames = [playing.moment(chain, chain.clips[0], time).time for time in (0.5, 1.25, 1.75)]
    assert frames == pytest.approx([5, 25, 2.5])
    frames = [playing.moment(chain, chain.clips[1], time).time for time in (0.25, 1.0, 1.75)]
    assert frames == pytest.approx([25, 5, 25])
    assert playing.duration(chain, chain.clips[1]) == 1.5


def driven(
    *drives: Drive, values: dict[int, float] | None = None, is_playing: bool = True
) -> tuple[tuple[int, float], ...]:
    found, set_values = controller(drives=drives), MappingProxyType(values or {})
    return playing.with_channels(Moment(), found, set_values, 4, is_playing=is_playing).driven


def test_a_channel_plays_its_frames_by_its_value() -> None:
    drive = Drive(2, (3, 11), initial=0.25)
    assert driven(drive) == ((2, 5),)
    assert driven(drive, values={0: 0.75}) == ((2, 9),)
    assert driven(drive, values={0: 1}) == ((2, 11),)


def test_outside_a_clip_only_channels_that_were_set_drive() -> None:
    drives = Drive(2, (3, 11), 0.5), Drive(1, (0, 2), 0.5)
    assert driven(*drives, is_playing=False) == ()
    assert driven(*drives, values={1: 0.5}, is_playing=False) == ((1, 1),)


def test_a_value_stays_at_its_ends_or_wraps() -> None:
    assert driven(Drive(2, (0, 8)), values={0: 1.25}) == ((2, 8),)
    assert driven(Drive(2, (0, 8), flags=0x1), values={0: 1.25}) == ((2, 2),)
    assert driven(Drive(2, (0, 8), flags=0x1), values={0: 1}) == ((2, 8),)


def test_a_channel_that_is_not_driven_waits_for_its_value() -> None:
    assert driven(Drive(2, (0, 8), 0.5, flags=0x4)) == ()
    assert driven(Drive(2, (0, 8), 0.5, flags=0x4), values={0: 0.5}) == ((2, 4),)


def test_a_channel_may_take_the_value_of_the_one_before() -> None:
    drives = Drive(1, (0, 8), 0.5), Drive(2, (0, 4), 0.0, flags=0x40)
    assert driven(*drives) == ((1, 4), (2, 2))
    assert driven(*drives, values={0: 1}) == ((1, 8), (2, 4))
    assert driven(*drives, values={1: 1}) == ((1, 4), (2, 4))


def test_nodes_that_are_missing_and_frames_that_are_not_finite_drive_nothing() -> None:
    assert driven(Drive(4, (0, 8)), Drive(-1, (0, 8)), Drive(1, (INF, 8)), Drive(2, (0, 8), INF)) == ((2, 8),)
