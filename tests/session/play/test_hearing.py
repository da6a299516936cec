"""What is heard of effects: when sounds begin and how loud they are, by hand from spec/effects.md 9."""

from __future__ import annotations

from typing import Any

import pytest

from tests.model.effects.effects import SOUND, block, effect
from viewer.formats import fxid
from viewer.model.effects.program import EffectInputs, EffectProgram
from viewer.model.effects.sounds import sound_lines, voices
from viewer.session.play.model_effects import Hearing, PlayedEffect

ONCE, LOOP = 0, 2
NEAR = {"eye": (0.0, -10.0, 0.0)}


def program(*blocks: dict[str, Any], **header: Any) -> EffectProgram:
    made = (block(2, b"a.wav", **SOUND | {"playback_rate_end": 1} | it) for it in blocks)
    return EffectProgram.of(fxid.decode(effect(*made, **header)))


def begun(played: EffectProgram, times: list[float]) -> list[int]:
    """How many sounds begin, or go on, at each of some times of an effect that lasts two seconds."""
    before, found = 0.0, []
    for time in times:
        heard, before = voices(played, EffectInputs(2 * time), before)
        found.append(len(heard))
    return found


def test_a_sound_begins_once_when_the_time_passes_its_trigger() -> None:
    """Last <= T and last <= trigger < T: not at the trigger itself, and not again."""
    sound = program({"mode": ONCE, "window_start": 0.5, "window_end": 0.5})
    assert begun(sound, [0.0, 0.3, 0.5, 0.6, 0.7, 0.9]) == [0, 0, 0, 1, 0, 0]
    assert begun(program({"mode": ONCE}), [0.0, 0.1, 0.2]) == [0, 1, 0]


def test_a_time_of_one_counts_as_zero_and_a_new_round_begins_it_again() -> None:
    sound = program({"mode": ONCE, "window_start": 0.95})
    assert begun(sound, [0.9, 1.0]) == [0, 0]
    again = program({"mode": ONCE, "window_start": 0.2}, time_mode=2)
    assert begun(again, [0.1, 0.3, 0.9, 1.1, 1.3]) == [0, 1, 0, 0, 1]


def test_a_loop_goes_on_inside_its_window() -> None:
    sound = program({"mode": LOOP, "window_start": 0.25, "window_end": 0.75})
    assert begun(sound, [0.2, 0.25, 0.5, 0.75, 0.8]) == [0, 1, 1, 1, 0]


@pytest.mark.parametrize(
    ("mode", "distance", "volume"),
    [(LOOP, 10, 1.0), (LOOP, 20, 1.0), (LOOP, 40, 0.5), (LOOP, 400, 0.1), (ONCE, 40, 0.5), (ONCE, 400, 0.0)],
)
def test_the_volume_falls_from_near_to_far(mode: int, distance: float, volume: float) -> None:
    """Near 20, far 200: a loop keeps the volume of far, one that plays once is silent there."""
    sound = program({"mode": mode})
    ((heard,), _time) = voices(sound, EffectInputs(1.0, eye=(0.0, float(-distance), 0.0)))
    assert heard.volume == pytest.approx(volume)


def test_sounds_are_listed_with_the_time_when_they_play() -> None:
    once, loop = {"mode": ONCE, "window_start": 0.25}, {"mode": 3, "window_start": 0.5, "window_end": 0.75}
    found = sound_lines(program(once, loop).effect)
    assert found == ["a.wav: once at 0.25", "a.wav: loop from 0.5 to 0.75"]
    nameless = effect(block(2, b"", **SOUND))
    assert sound_lines(fxid.decode(nameless)) == []


def test_deleted_effects_and_those_that_are_off_are_silent() -> None:
    loop = {"mode": LOOP}
    assert begun(program(loop, flags=2), [0.5, 1.0]) == [1, 0]
    assert begun(program(loop, flags=0x40), [0.5]) == [0]


def test_effects_are_followed_from_moment_to_moment() -> None:
    """What was started later has its own time; a sound names its file."""
    sound, hearing = program({"mode": ONCE, "window_start": 0.5}), Hearing()

    def at(*seconds: float) -> list[int]:
        effects = [PlayedEffect(sound, (), EffectInputs(it), key=key) for key, it in enumerate(seconds)]
        return [it.key[0] for it in hearing.of(effects)]

    assert at(0.9) == []
    assert at(1.1, 0.2) == [0]
    assert at(1.2, 1.1) == [1]
    assert at(0.1, 1.2) == []
    (heard,) = hearing.of([PlayedEffect(sound, (), EffectInputs(1.5), key=9)])
    assert (heard.archive, heard.name, heard.is_loop, heard.rate) == (b"Material.lib", b"a.wav", False, 1.0)


@pytest.mark.parametrize("rate", [-1.0, 0.0, 1e-3, 1e9, float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("mode", [ONCE, LOOP])
def test_a_rate_that_no_device_plays_is_silent(mode: int, rate: float) -> None:
    sound = program(
        {"mode": mode, "playback_rate_start": rate, "playback_rate_end": rate},
        {"mode": mode},
    )
    heard, _time = voices(sound, EffectInputs(1.0))
    assert [(it.block, it.rate) for it in heard] == [(1, 1.0)]
