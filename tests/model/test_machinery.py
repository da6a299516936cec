"""Machinery: how fast channels move by themselves and driven, what they do at their ends, and belts."""

from __future__ import annotations

import struct
from math import nan, tau

import numpy as np
import pytest

from viewer.formats.neighbors import component
from viewer.formats.neighbors.component import BodyMotion, ControllerComponent
from viewer.model.clips.clip import Channel
from viewer.model.clips.machinery import belts, drives_of, moves, shown, values

WRAPS, INVERTS, PLAYS_MATERIAL = 0x01, 0x02, 0x10
LEFT_BELT, RIGHT_BELT = 0x01070C00, 0x02040C00
"""Forward speed and the yaw rate, negated on the left."""
WING = 0x8000000C
"""A switch by the forward speed."""
AT_REST = BodyMotion()


def part(
    number: int = 3,
    *channels: int,
    flags: int = 0,
    switch: int = -1,
    weights: tuple[float, float] = (1.0, 1.0),
) -> ControllerComponent:
    row = component.COMPONENT.new(1)[0]
    row["class"], row["flags"], row["switch"], row["weights"] = number, flags, switch, weights
    row["channel_count"] = len(channels)
    driven = component.DRIVEN.new(len(channels))
    driven["channel"] = channels
    return ControllerComponent(row, driven, component.label_record(0).new(1)[0])


def channel(
    index: int = 0, rate: float = 1.0, initial: float = 0.0, span: float = tau, flags: int = WRAPS
) -> Channel:
    return Channel(index, index, 0.0, 4.0, initial, rate, span, flags)


def value(of: ControllerComponent, on: Channel, seconds: float, motion: BodyMotion = AT_REST) -> float | None:
    """The value of a channel that one component drives, or None if it stands."""
    found = values(drives_of([of], [on]), motion, seconds)
    return found.get(on.index)


@pytest.mark.parametrize(
    ("turns", "weight", "rate"), [(7.3, 1.0, 7.3), (0.5, 1.0, 0.5), (0.2, 0.5, 0.4)], ids=str
)
def test_what_turns_by_itself_turns_at_its_rate(turns: float, weight: float, rate: float) -> None:
    found = value(part(3, 0, weights=(weight, 1.0)), channel(rate=rate), 0.1)
    assert found == pytest.approx(turns * 0.1)
    again = value(part(3, 0, weights=(weight, 1.0)), channel(rate=rate), 10.0)
    assert again == pytest.approx(turns * 10 % 1, abs=1e-9)


def test_it_begins_at_the_initial_value() -> None:
    assert value(part(3, 0), channel(initial=0.25), 0.0) == 0.25
    assert value(part(3, 0), channel(initial=0.75), 0.5) == 0.25
    assert value(part(3, 0), channel(initial=nan), 0.25) == 0.25


@pytest.mark.parametrize("number", [1, 2, 4, 5, 9, 10, 12, 13, 15, 17, 19, 21, 24, 25, 27, 30, 11, 99])
def test_the_other_classes_stand(number: int) -> None:
    assert value(part(number, 0), channel(), 1.0) is None


def test_a_mast_goes_up_and_down() -> None:
    mast, on = part(29, 0, switch=9), channel(rate=0.2, flags=0)
    found = [value(mast, on, seconds) for seconds in (0, 2.5, 5, 7.5, 10, 11)]
    assert [shown(it) for it in found if it is not None] == pytest.approx([0, 0.5, 1, 0.5, 0, 0.2])


def test_words_say_direction_and_end() -> None:
    on = channel(rate=0.4, initial=0.5)
    assert value(part(3, 0, switch=6), on, 1.0) == pytest.approx(0.1)  # backward, round
    assert value(part(3, 0, switch=6), on, 2.0) == pytest.approx(0.7)
    assert value(part(3, 0, switch=1), on, 9.0) == 1.0  # forward, stops
    assert value(part(3, 0, switch=2), on, 9.0) == 0.0
    assert value(part(3, 0, switch=0), on, 9.0) is None
    assert value(part(3, 0, weights=(-1.0, 0.0)), on, 1.0) == pytest.approx(0.1)  # a negative rate
    assert value(part(3, 0, weights=(9e-10, 0.0)), on, 1.0) is None


def test_belts_run_with_speed_and_apart_in_a_turn() -> None:
    left, right = (
        part(3, row, flags=flags, weights=(1.0, 0.5)) for row, flags in enumerate((LEFT_BELT, RIGHT_BELT))
    )
    drives = drives_of([left, right], [channel(row, 51.4, flags=21) for row in (0, 1)])
    assert values(drives, AT_REST, 1.0) == {}
    assert not moves(drives, AT_REST)
    assert [it.rate(BodyMotion(0.5)) for it in drives] == pytest.approx([25.7, 25.7])
    assert [it.rate(BodyMotion(1.0, 0.4)) for it in drives] == pytest.approx([41.12, 61.68])
    assert [it.rate(BodyMotion(-1.0)) for it in drives] == pytest.approx([-51.4, -51.4])
    assert values(drives, BodyMotion(0.5), 0.01) == pytest.approx({0: 0.257, 1: 0.257})
    assert dict(belts(drives, values(drives, BodyMotion(1.0, 0.4), 0.01))) == pytest.approx(
        {0: 0.4112, 1: 0.6168}
    )
    assert dict(belts(drives, {})) == {0: 0.0, 1: 0.0}


def test_a_wing_switches_at_its_initial_value_and_runs_at_its_rate() -> None:
    drives = drives_of([part(3, 0, flags=WING)], [channel(initial=0.5, rate=1.0, flags=INVERTS)])
    assert values(drives, AT_REST, 1.0) == {}
    for speed, seconds, expected in ((0.5, 0.2, 0.7), (0.5, 9, 1.0), (0.4, 0.2, 0.3), (0.4, 9, 0.0)):
        assert values(drives, BodyMotion(speed), seconds) == pytest.approx({0: expected}), (speed, seconds)
    assert values(drives, AT_REST, 0.25, {0: 1.0}) == {0: 0.75}  # it runs back when it is not driven any more


def test_an_input_sets_a_value_outright() -> None:
    wheel = part(3, 0, flags=0x04)  # spin about z, rad/s, over the span of the channel
    assert value(wheel, channel(initial=0.5, span=2.0, flags=0), 3.0, BodyMotion(turn=0.4)) == pytest.approx(
        0.7
    )
    assert value(wheel, channel(initial=0.5, span=2.0, flags=0), 3.0, BodyMotion(turn=-9)) == 0.0
    assert (
        value(part(3, 0, flags=0x07), channel(initial=0.5, span=2.0, flags=0), 0, BodyMotion(turn=0.4)) == 0.3
    )
    assert value(part(3, 0, flags=0x01), channel(initial=0.5), 3.0, BodyMotion(1.0, 1.0)) is None  # held


def test_other_selectors_count_as_one_and_nothing() -> None:
    assert part(3, 0, weights=(2.0, 3.0)).rate(BodyMotion(0.5, 0.5)) == 2.0
    assert part(3, 0, flags=0x0E0E00, weights=(2.0, 3.0)).rate(BodyMotion(-0.5)) == 2.5  # speed has no sign
    assert part(3, 0, flags=0x0B0900, weights=(2.0, 3.0)).rate(BodyMotion(0.5, 0.5)) == 0.0


def test_an_inverted_channel_plays_its_frames_backwards() -> None:
    assert [channel(flags=INVERTS).frame(it) for it in (0.0, 0.25, 1.0)] == [4.0, 3.0, 0.0]
    assert [channel(flags=0).frame(it) for it in (0.0, 0.25, 1.0)] == [0.0, 1.0, 4.0]


def test_a_channel_that_no_component_knows_stands() -> None:
    assert drives_of([part(3, 7, -1)], [channel()]) == ()


def test_components_are_equal_by_their_bytes() -> None:
    assert part(3, 0) == part(3, 0) != part(3, 1)
    assert struct.unpack("<i", part(26, 0)._stored[:4]) == (26,)
    assert np.frombuffer(part(3, 4, 5)._stored, "<i4")[-3:].tolist() == [4, 5, 0]
