"""When an effect lives and what it shows: deletion, blocks without a name, streams that stop and go on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.model.effects.effects import BURST, LIGHT, SOUND, SPRITE, STREAM, block, effect
from viewer.formats import fxid
from viewer.model.effects.clock import updates_before
from viewer.model.effects.frame import STREAK, bases
from viewer.model.effects.program import EffectInputs, EffectProgram, burst_phase


def program(*blocks: bytes, seed: int = 1, **header: Any) -> EffectProgram:
    return EffectProgram.of(fxid.decode(effect(*blocks, **header)), seed)


@pytest.mark.parametrize(
    ("flags", "mode", "seconds", "is_alive"),
    [
        (2, 1, 1.99, True), (2, 1, 2.0, False), (2, 1, 50.0, False), (0, 1, 50.0, True), (2, 2, 50.0, True),
        (2, 3, 0.0, False), (2, 3, 9.0, False), (0x22, 1, 0.99, True), (0x22, 1, 1.003, False),
        (0x22, 1, 1.9, False), (0x22, 2, 3.1, False), (0x22, 3, 1.2, False), (0x202, 1, 1.9, True),
        (0x202, 2, 3.9, False), (0x202, 2, 4.1, False), (0x202, 2, 3.1, True), (0x82, 3, 5.0, True),
        (0x102, 3, 5.0, False),
    ],
)  # fmt: skip
def test_flag_2_deletes_for_good_once_the_time_was_1(
    flags: int, mode: int, seconds: float, is_alive: bool
) -> None:
    moment = program(block(3, **SPRITE), flags=flags, time_mode=mode).at(EffectInputs(seconds))
    assert moment.is_alive is is_alive
    assert moment.active.any() == (len(moment.sprites) > 0) == is_alive


def test_an_effect_that_starts_off_shows_nothing_until_it_is_started() -> None:
    played = program(block(3, **SPRITE), flags=0x40)
    moment = played.at(EffectInputs(1.0))
    assert (moment.time, moment.is_alive, len(moment.sprites)) == (0.5, True, 0)
    assert not moment.active.any()
    assert len(played.at(EffectInputs(1.0, is_started=True)).sprites) == 1


def test_what_has_no_name_or_no_alpha_or_no_shape_draws_nothing() -> None:
    moment = program(
        block(3, b"", **SPRITE),
        block(3, **SPRITE | {"fade_start": 0, "fade_end": 0}),
        block(9, **SPRITE | {"shape": 3}),
        block(7, b"", **BURST),
        block(8, b"", **STREAM),
        block(2, b"", **SOUND),
        b"\6\0\0\0",
    ).at(EffectInputs(1.0))
    assert moment.active.tolist() == [True] * 6 + [False]
    assert (len(moment.sprites), len(moment.sounds.block)) == (0, 0)


def test_a_sprite_on_the_eye_and_a_streak_seen_along_itself_are_not_drawn() -> None:
    played = program(block(3, **SPRITE), block(3, **SPRITE | {"mode": 1}), block(3, **SPRITE | {"mode": 2}))
    assert played.at(EffectInputs(1.0, eye=(0, 0, 0))).sprites.block.tolist() == []
    assert played.at(EffectInputs(1.0, eye=(5, 0, 0))).sprites.block.tolist() == [0, 2]


def test_a_streak_seen_so_nearly_along_itself_that_its_side_has_no_length_is_not_drawn() -> None:
    eye, at, along = np.array([[1.0, 0, 0]]), np.zeros((1, 3)), np.array([[1.0, 1e-200, 0]])
    assert np.isnan(bases(np.array([STREAK]), eye, at, along)[1]).all()


def test_steps_floor_the_clock_of_the_effect_alone() -> None:
    played = program(block(3, **SPRITE | {"phase_start": -1, "phase_end": 1}), duration=1.0)
    moment = played.at(EffectInputs(0.57, has_steps=True))
    assert moment.time == pytest.approx(0.5)
    assert moment.sprites.phase == pytest.approx([0.57])


def test_the_same_question_has_the_same_answer_and_another_seed_another_one() -> None:
    burst = block(7, **BURST | {"position_jitter": (4, 4, 4)})
    centers = [program(burst, seed=seed).at(EffectInputs(1.0)).sprites.center for seed in (3, 3, 4)]
    assert (centers[0] == centers[1]).all()
    assert (centers[0] != centers[2]).any()


@pytest.mark.parametrize(
    ("seconds", "update"), [(0.0, 0), (0.0999, 0), (0.1, 1), (0.9999, 9), (99.95, 999), (3600.0, 36000)]
)
def test_the_game_updates_every_100_ms(seconds: float, update: int) -> None:
    assert updates_before(np.array([seconds])).tolist() == [update]


def test_the_phase_of_a_burst_particle_is_that_of_the_example() -> None:
    """Check 4 of the specification of effects: age and rate."""
    age, rate = np.array([(0.3, 0.8), (0.7, 0.6), (0.9, 1.5), (0.4, -1)]).T
    np.testing.assert_allclose(burst_phase(age, rate), (0.375, 0.99, 0.35, 0))


def test_a_light_flickers_ten_times_a_second() -> None:
    played = program(block(1, **LIGHT | {"color_jitter": (0.5,) * 4, "range_jitter": 2}), time_mode=4)
    colors = [played.at(EffectInputs(it)).lights.color for it in (0.3, 0.39, 0.4)]
    assert (colors[0] == colors[1]).all()
    assert (colors[0] != colors[2]).all()


def test_a_light_without_range_has_the_least_one() -> None:
    played = program(block(1, **LIGHT | {"range_start": -1, "range_end": -1}))
    assert played.at(EffectInputs(1.0)).lights.range.tolist() == [0.01]


def test_a_stream_goes_on_where_it_stopped_a_ring_at_once() -> None:
    """Mode 2 over 2 s: the window is left at 1 s, and entered again at 2 s, when 10 particles are due."""
    played = program(block(8, **STREAM | {"window_end": 0.5, "ring": 6}), time_mode=2)
    last = {it: played.at(EffectInputs(it)).sprites.particle.tolist() for it in (0.0, 1.0, 1.5, 2.0, 2.05)}
    assert last[0.0] == [0]
    assert last[1.0][-1] == 9
    assert last[1.5] == []
    assert last[2.0][-1] == 15
    assert last[2.05][-1] == 20


def test_a_dome_has_three_columns_and_a_frame_turns_it() -> None:
    played = program(
        block(9, **SPRITE | {"mode": 2, "direction_start": (0, 0, 1), "direction_end": (0, 0, 1)})
    )
    sprites = played.at(EffectInputs(1.0, axes=((0, 2, 0), (-2, 0, 0), (0, 0, 2)), origin=(5, 0, 0))).sprites
    np.testing.assert_allclose(sprites.center, [(5, 0, 0)])
    np.testing.assert_allclose(sprites.z, [(0, 0, 2)])
    np.testing.assert_allclose(sprites.x, [(0, 2, 0)])


def test_streams_have_unit_axes_times_their_size() -> None:
    stream = block(8, **STREAM | {"position_low": (3, 0, 0), "position_high": (3, 0, 0)})
    inputs = EffectInputs(0.0, size=2.0, axes=((0, 5, 0), (-5, 0, 0), (0, 0, 5)))
    np.testing.assert_allclose(program(stream).at(inputs).sprites.center, [(0, 6, 0)])


def test_slow_streams_are_those_of_six_tenths_of_the_time() -> None:
    played = program(block(8, **STREAM), time_mode=4)
    slow = played.at(EffectInputs(0.84, strength=0.5, has_slow_streams=True)).sprites
    early = played.at(EffectInputs(0.504, strength=0.5)).sprites
    whole = played.at(EffectInputs(0.84, strength=0.5)).sprites
    assert (len(slow), len(early), len(whole)) == (6, 6, 9)  # one each 0.1 s, the first at 0
    np.testing.assert_allclose(slow.phase, early.phase)
    np.testing.assert_allclose(slow.center, early.center)
