"""Materials in time, against values worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.model.materials import PLAIN_PHASE, Block, BlockKey, Mask, Material, Mode, Phase
from viewer.model.phases import UNDEFINED_SHARE, WORD, duration, position, starts, state_at

DARK = Phase(
    (0.0, 0.0, 0.0, 0.0), (0.0, 0.2, 0.4, 0.1), (0.0, 0.0, 0.0, 0.2), (0.0, 0.0, 0.0, 0.3), 10, "A.0"
)
BRIGHT = Phase(
    (1.0, 0.5, 0.0, 1.0), (1.0, 1.0, 1.0, 1.0), (0.4, 0.4, 0.4, 1.0), (0.8, 0.0, 0.0, 1.0), 20, "B.0"
)
KEYS = (BlockKey(0, 100), BlockKey(1, 400), BlockKey(2, 500))


def block(mode: int, keys: tuple[BlockKey, ...] = KEYS, mask: int = 0) -> Block:
    return Block(mode, mask, keys)


def material(mask: int) -> Material:
    keys = (BlockKey(0, 100), BlockKey(1, 200))
    return Material(0, phases=(DARK, BRIGHT), blocks=(block(Mode.LOOP, keys, mask),))


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        (0, (0, 0.0)),
        (25, (0, 0.25)),
        (99.9, (0, 0.99)),
        (100, (1, 0.0)),
        (250, (1, 0.5)),
        (400, (2, 0.0)),
        (450, (2, 0.5)),
        (500, (0, 0.0)),
        (625, (1, 25 / 300)),
    ],
)
def test_a_loop_starts_over(time: float, expected: tuple[int, float]) -> None:
    assert position(block(Mode.LOOP), time) == expected


@pytest.mark.parametrize(
    ("time", "expected"),
    [(25, (0, 0.25)), (500, (2, 1.0)), (550, (2, 0.5)), (750, (1, 0.5)), (975, (0, 0.25)), (1025, (0, 0.25))],
)
def test_ping_pong_goes_back_in_every_other_cycle(time: float, expected: tuple[int, float]) -> None:
    assert position(block(Mode.PING_PONG), time) == expected


@pytest.mark.parametrize(("time", "expected"), [(450, (2, 0.5)), (500, (2, 0.0)), (10**7, (2, 0.0))])
def test_once_holds_the_last_key(time: float, expected: tuple[int, float]) -> None:
    assert position(block(Mode.ONCE), time) == expected


def test_chance_repeats_itself_and_depends_on_the_seed() -> None:
    times = range(0, 5000, 50)
    first = [position(block(Mode.RANDOM), time, seed=1) for time in times]
    assert first == [position(block(Mode.RANDOM), time, seed=1) for time in times]
    assert first != [position(block(Mode.RANDOM), time, seed=2) for time in times]
    assert {key for key, _ in first} == {0, 1, 2}


def test_chance_runs_on_within_a_cycle() -> None:
    (key, share), (later_key, later_share) = (position(block(Mode.RANDOM), time, 7) for time in (0, 5))
    assert (key, share) != (later_key, later_share)
    assert later_share > share or later_key != key


def test_time_wraps_as_a_word_does() -> None:
    assert position(block(Mode.LOOP), WORD + 250) == position(block(Mode.LOOP), 250)
    before = position(block(Mode.LOOP), -1)
    assert before == position(block(Mode.LOOP), WORD - 1) == (1, (295 - 100) / 300)


def test_a_cycle_of_no_length_stands_still() -> None:
    still = (BlockKey(0, 0), BlockKey(1, 0))
    assert position(block(Mode.LOOP, still), 70) == (0, 0.0)
    assert position(block(Mode.ONCE, still), 70) == (1, 0.0)


def test_a_key_whose_time_has_passed_already_is_left_out() -> None:
    keys = (BlockKey(0, 50), BlockKey(1, 40), BlockKey(2, 200))
    assert position(block(Mode.LOOP, keys), 49) == (0, 49 / 50)
    assert position(block(Mode.LOOP, keys), 50) == (2, 10 / 160)
    assert duration(block(Mode.LOOP, (BlockKey(0, 300), BlockKey(1, 100)))) == 100


def test_a_segment_of_no_length_blends_by_half() -> None:
    assert position(block(Mode.PING_PONG, (BlockKey(0, 100), BlockKey(1, 100))), 100) == (1, UNDEFINED_SHARE)


def test_segments_start_where_the_key_before_ends() -> None:
    assert starts(block(Mode.LOOP)) == (0, 100, 400)
    assert starts(block(Mode.LOOP, ())) == (0,)
    assert duration(block(Mode.LOOP, ())) == 0


def test_without_a_mask_everything_jumps() -> None:
    state = state_at(material(0), 75)
    assert (state.ambient, state.diffuse, state.phase) == (DARK.ambient, DARK.diffuse, 0)
    assert state_at(material(0), 150).diffuse == BRIGHT.diffuse


@pytest.mark.parametrize(
    ("mask", "field", "expected"),
    [
        (Mask.AMBIENT, "ambient", (0.25, 0.125, 0.0, 0.0)),
        (Mask.DIFFUSE, "diffuse", (0.25, 0.4, 0.55, 0.1)),
        (Mask.SPECULAR, "specular", (0.1, 0.1, 0.1, 0.2)),
        (Mask.EMISSIVE, "emissive", (0.2, 0.0, 0.0, 0.3)),
        (Mask.AMBIENT_ALPHA, "ambient", (0.0, 0.0, 0.0, 0.25)),
    ],
)
def test_each_bit_of_the_mask_blends_one_field(mask: int, field: str, expected: tuple[float, ...]) -> None:
    state = state_at(material(mask), 25)
    assert getattr(state, field) == pytest.approx(expected)
    others = {"ambient", "diffuse", "specular", "emissive"} - {field}
    assert all(getattr(state, other) == getattr(DARK, other) for other in others)
    assert (state.power, state.phase, state.share) == (10, 0, 0.25)


def test_the_last_key_leads_back_to_the_first() -> None:
    state = state_at(material(Mask.EMISSIVE), 150)
    assert state.emissive == pytest.approx((0.4, 0.0, 0.0, 1.0))
    assert (state.phase, state.power) == (1, 20)


def test_a_phase_that_does_not_exist_is_the_last() -> None:
    keys = (BlockKey(9, 100),)
    shown = replace(material(0), blocks=(block(Mode.LOOP, keys),))
    assert state_at(shown, 0).phase == 1


def test_variants_are_chosen_by_block_and_a_missing_one_stands_still() -> None:
    shown = replace(material(0), blocks=(block(Mode.LOOP), block(Mode.LOOP, (BlockKey(1, 100),))))
    assert state_at(shown, 0, block=1).phase == 1
    assert state_at(shown, 450, block=2).phase == 0
    assert state_at(Material(0), 450).diffuse == PLAIN_PHASE.diffuse


@given(
    mode=st.integers(0, 7),
    times=st.lists(st.integers(0, 0xFFFF), min_size=1, max_size=5),
    time=st.integers(-(2**33), 2**33),
    seed=st.integers(0, 2**40),
)
def test_any_block_gives_a_key_and_a_share(mode: int, times: list[int], time: int, seed: int) -> None:
    key, share = position(block(mode, tuple(BlockKey(0, end) for end in times)), time, seed)
    assert 0 <= key < len(times)
    assert 0.0 <= share <= 1.0
