"""The curves of a day: the same lights as at each hour, from midnight to midnight."""

from __future__ import annotations

import numpy as np

from tests import skies
from viewer.formats import sky
from viewer.model.sky.curves import DayCurves, brightness
from viewer.model.sky.day import first_day
from viewer.model.sky.rows import keyframe_rows


def test_curves_are_the_lights_at_their_hours() -> None:
    day = first_day(sky.decode(skies.SKY))
    assert day is not None
    curves = DayCurves.of(day, 9)
    assert curves.hours.tolist() == [0, 3, 6, 9, 12, 15, 18, 21, 24]
    for index, hour in enumerate(curves.hours.tolist()):
        light = day.at(hour).light
        assert curves.scene[index].tolist() == [*light.scene]
        assert curves.main[index].tolist() == [*light.lights[0].color]
        assert curves.counter[index].tolist() == [*light.lights[1].color]
    assert brightness(curves.main)[2] == np.float64(100 / 255)


def test_rows_say_what_a_keyframe_says() -> None:
    dawn, dusk = keyframe_rows(sky.decode(skies.SKY))
    assert (dawn.section, dawn.keyframe, dawn.time, dawn.event) == (0, 0, "06:00", "start of sun or moon")
    assert (dawn.name, dawn.scene, dawn.main_light, dawn.strength) == ("sun", "#285078", "#643219", 1.0)
    assert (dusk.time, dusk.counter_light, dusk.fog, dusk.effects) == (
        "18:30", "#1e140a", (0.0, 350.0), ("wind.wav", "fly"),
    )  # fmt: skip
    assert dusk.horizon == ("#000000",) * 4
