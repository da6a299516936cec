"""An effect in its tab: its rounds, its clock, the curves of its blocks, what its blocks draw."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from tests.model.effects.effects import BOLT, BURST, LIGHT, SPRITE, STREAM, block, effect
from viewer.formats import fxid
from viewer.model.clips.clip import FRAME_RATE
from viewer.model.effects.moment import EffectMoment
from viewer.model.effects.program import EffectInputs, EffectProgram
from viewer.model.kinds.registry import EFFECT
from viewer.model.store.address import Address
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.play.effect_play import age_of, counts, curves, inputs_of, round_frames, seconds_of
from viewer.session.play.playback import EffectSettings
from viewer.session.play.playing import axis_of
from viewer.session.view.camera import Camera, Side
from viewer.session.view.effect_look import OPEN_LIFE, extent, framed
from viewer.session.view.view_state import ViewState


def program(*blocks: bytes, **header: Any) -> EffectProgram:
    return EffectProgram.of(fxid.decode(effect(*blocks, **header)))


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ({}, 2.0), ({"flags": 2}, 2.5), ({"time_mode": 4}, OPEN_LIFE), ({"duration": 0.0}, OPEN_LIFE),
        ({"duration": float("nan")}, OPEN_LIFE), ({"duration": -3.0}, OPEN_LIFE),
    ],
)  # fmt: skip
def test_a_round_is_the_life_and_a_pause_after_one_that_is_deleted(
    header: dict[str, Any], seconds: float
) -> None:
    assert round_frames(fxid.decode(effect(block(3, **SPRITE), **header))) == seconds * FRAME_RATE


def test_a_mode_in_place_of_the_header_s_decides_how_long_a_round_is_and_whether_it_ends() -> None:
    stored = fxid.decode(effect(block(3, **SPRITE), time_mode=4))
    assert round_frames(stored, 1) == 2.0 * FRAME_RATE
    view = ViewState(time=15.0, past=30.0)
    aged = replace(view.playback, stage=replace(view.playback.stage, mode=1))
    assert seconds_of(view, stored) == pytest.approx(3.0)
    assert seconds_of(replace(view, playback=aged), stored) == pytest.approx(1.0)
    last = round_frames(stored)
    shown = OpenedResource(Address.parse("a.fxid"), EFFECT.id, memoryview(b""), value=stored, last_frame=last)
    assert axis_of(shown, view).end == last
    assert axis_of(shown, replace(view, playback=aged)).end == 2.0 * FRAME_RATE


def test_what_has_an_end_begins_anew_and_everything_else_continues() -> None:
    view = ViewState(time=15.0, past=30.0)
    for ended in ({"flags": 2}, {"time_mode": 1}, {"time_mode": 3}, {"flags": 2, "time_mode": 4}):
        assert seconds_of(view, fxid.decode(effect(**ended))) == pytest.approx(1.0)
    for mode in (0, 2, 4, 15):
        assert seconds_of(view, fxid.decode(effect(time_mode=mode))) == pytest.approx(3.0)


def test_the_curves_of_a_block_are_its_values_over_p_or_age() -> None:
    played = program(
        block(3, **SPRITE | {"fade_start": 1, "fade_end": 0, "fade_power": 2}),
        block(7, **BURST | {"size_high": (3, 1, 1), "phase_rate": 1.5}),
        block(8, **STREAM | {"interval_end": 0.5}),
        block(5, **BOLT), block(1, **LIGHT), b"\6\0\0\0",
    )  # fmt: skip
    fade = curves(played.blocks, 0)[0]
    assert (fade.name, fade.is_over_age) == ("fade", False)
    np.testing.assert_allclose(fade.values, 1 - np.linspace(0, 1, 65) ** 2)
    burst = {it.name: it for it in curves(played.blocks, 1)}
    assert burst["size"].is_over_age
    np.testing.assert_allclose(burst["size"].values[-1], (3, 1, 1))
    assert burst["phase"].values[[16, 58]] == pytest.approx([0.375, 0.359375])  # fract(age x 1.5)
    stream = {it.name: it for it in curves(played.blocks, 2)}
    np.testing.assert_allclose(stream["phase"].values, np.linspace(0, 1, 65))
    assert (stream["interval"].is_over_age, stream["fade"].is_over_age) == (False, True)
    assert stream["interval"].values[-1] == pytest.approx(0.5)
    assert [it.name for it in curves(played.blocks, 3)] == ["fade", "width", "phase"]
    assert [it.name for it in curves(played.blocks, 4)] == ["range", "color", "position", "direction"]
    assert curves(played.blocks, 5) == ()


def test_what_a_moment_draws_is_counted_by_block() -> None:
    played = program(
        block(9, **SPRITE | {"mode": 2, "shape": 1}), block(7, **BURST), block(5, **BOLT), block(1, **LIGHT)
    )
    found = counts(played, played.at(EffectInputs(1.0, target=(0, 100, 0))))
    assert found.sprites.tolist() == [1, 6, 2, 0]
    assert found.triangles.tolist() == [176, 12, 4, 0]


def test_a_block_is_shown_alone_and_all_again() -> None:
    settings = EffectSettings().toggled(1)
    assert settings.hidden == {1}
    assert settings.toggled(1).hidden == frozenset()
    alone = settings.alone(2, 4)
    assert alone.hidden == {0, 1, 3}
    assert alone.alone(2, 4).hidden == frozenset()


@pytest.mark.parametrize("side", [Side.FRONT, Side.RIGHT, Side.TOP])
def test_all_that_an_effect_draws_is_inside_the_image(side: Side) -> None:
    """Also what is not seen from the usual place: a streak along y."""
    streak = SPRITE | {"mode": 1, "direction_start": (0, 1, 0), "direction_end": (0, 1, 0)}
    played = program(block(3, **streak | {"position_low": (0, 2, 0), "position_high": (0, 9, 0)}))
    camera = framed(Camera().towards(side), played, EffectInputs(0.0), 1.0)
    seen = replace(EffectInputs(0.0), eye=tuple(camera.eye.tolist()))
    shown = extent(played, seen)
    for middle, radius in zip(shown.middles, shown.radii, strict=True):
        clip = camera.clip_from_world(1.0) @ np.append(middle + radius * camera.axes[1], 1.0)
        assert (np.abs(clip[:2]) <= clip[3]).all()


def test_a_huge_effect_is_framed_by_a_few_moments_of_its_round(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    at = EffectProgram.at

    def noted(played: EffectProgram, inputs: EffectInputs) -> EffectMoment:
        asked.append(inputs.seconds)
        return at(played, inputs)

    monkeypatch.setattr(EffectProgram, "at", noted)
    bursts = [block(7, **BURST | {"count_0": 60, "count_1": 60}) for _ in range(1000)]
    extent(program(*bursts, duration=24.0), EffectInputs(0.0))
    assert len(asked) == 3
    assert max(asked) - min(asked) > 12, "more than half of the round"
    asked.clear()
    extent(program(bursts[0], duration=24.0), EffectInputs(0.0))
    assert sorted(asked) == [number + 0.5 for number in range(24)], "the whole round of a usual one"


def test_an_effect_that_draws_nothing_is_framed_too() -> None:
    assert framed(Camera(), program(block(1, **LIGHT)), EffectInputs(0.0), 1.0).distance > 1


def test_bolts_have_a_target_and_bit_0_holds_the_effects_of_the_night() -> None:
    settings = EffectSettings(target=(6.0, 0.0, 0.0))
    bolt = program(block(5, **BOLT))
    moment = bolt.at(inputs_of(settings, 0.5))
    assert (moment.bolts.start.tolist(), moment.bolts.end.tolist()) == ([[6, 0, 0]], [[0, 0, 0]])
    by_night = program(block(3, **SPRITE), flags=0x80)
    assert by_night.at(inputs_of(settings, 0.5)).time == 0.0
    assert by_night.at(inputs_of(replace(settings, is_set=True), 0.5)).time == 0.25


@pytest.mark.parametrize(("progress", "age"), [(0.0, 0.0), (0.3, 0.6), (0.5, 1.0), (0.6, None)])
def test_the_age_of_particles_that_start_together(progress: float, age: float | None) -> None:
    played = program(block(7, **BURST | {"life": 0.5}), block(8, **STREAM))
    assert age_of(played.blocks, 0, progress) == (None if age is None else pytest.approx(age))
    assert age_of(played.blocks, 1, progress) is None
