"""Skies at any hour: the worked examples, interpolation, and the truth of the corpora."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import skies
from tests.formats.contract import plain
from viewer.formats import sky
from viewer.model.sky.clock import clock, hour_of
from viewer.model.sky.day import Day, first_day, first_hour
from viewer.model.sky.light import MOON, SUN, Body, SkyLight


def day(*keyframes: bytes) -> Day:
    found = first_day(sky.decode(skies.sky(skies.section(*keyframes))))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("body", "fraction", "direction"),
    [
        (SUN, 0.5, (-0.5, 0, -0.866025)),
        (MOON, 0.5, (0, 0.766044, -0.642788)),
        (SUN, 0.1, (-0.031395, 0.998027, -0.054378)),
    ],
)
def test_worked_examples(body: Body, fraction: float, direction: tuple[float, float, float]) -> None:
    assert body.direction(fraction) == pytest.approx(direction, abs=1e-6)


def test_colors_and_lights_between_two_keyframes() -> None:
    """12:15 is halfway from 6:00 to 18:30."""
    moment = day(skies.DAWN, skies.DUSK).at(12.25)
    main, counter = moment.light.lights
    assert moment.light.scene == pytest.approx((80 / 255, 60 / 255, 90 / 255))
    assert main.color == pytest.approx((50 / 255, 25 / 255, 12.5 / 255))
    assert counter.color == pytest.approx((20 / 255, 20 / 255, 20 / 255))
    assert main.direction == pytest.approx((-0.5, 0, -0.8660254))
    assert counter.direction == pytest.approx((0.5, 0, 0.8660254))
    assert (moment.body, moment.fraction, moment.fog) == (SUN, 0.5, (0.0, 350.0))


def test_the_main_light_is_multiplied_by_its_strength() -> None:
    strong = skies.keyframe((0, 0), colors={19: (255, 51, 0)}, strength=5)
    weak = skies.keyframe((10, 0), colors={19: (255, 51, 0)}, strength=1)
    (main, _) = day(strong, weak).at(5).light.lights
    assert main.color == pytest.approx((3, 0.6, 0))


def test_the_hours_before_the_first_and_after_the_last_keyframe() -> None:
    found = day(skies.DAWN, skies.DUSK)
    assert (
        found.at(0).light.scene == found.at(6).light.scene == pytest.approx((40 / 255, 80 / 255, 120 / 255))
    )
    assert found.at(24).light.scene == pytest.approx((120 / 255, 40 / 255, 60 / 255))
    assert (found.at(5.99).body, found.at(5.99).fraction) == (None, 0.5)
    assert (found.at(18.5).body, found.at(18.5).fraction) == (None, 0.5)


def test_the_moon_passes_until_the_first_stop() -> None:
    keyframes = [
        skies.keyframe((2, 0), event=0, name=b"moon"),
        skies.keyframe((3, 0)),
        skies.keyframe((6, 0), event=1),
    ]
    found = day(*keyframes, skies.keyframe((9, 0), event=1))
    assert [(it.body, it.start, it.stop) for it in found.passages] == [(MOON, 2.0, 6.0)]
    assert (found.at(3).body, found.at(3).fraction) == (MOON, 0.25)


def test_a_damaged_sky_still_lights() -> None:
    """Keyframes out of order are sorted; numbers that are none count as 0."""
    found = day(skies.DUSK, skies.keyframe((6, 0), fog=float("nan"), strength=float("inf"), event=0))
    assert found.hours.tolist() == [6.0, 18.5]
    moment = found.at(6)
    assert (moment.light.lights[0].color, moment.fog) == ((0.0, 0.0, 0.0), (0.0, 0.0))


def test_where_the_clock_starts() -> None:
    assert first_hour(sky.decode(skies.SKY)) == 6.5
    two = skies.sky(skies.section(skies.DAWN), skies.section(skies.DUSK), start=1)
    second = first_day(sky.decode(two))
    assert second is not None
    assert second.hours.tolist() == [18.5]
    assert first_day(sky.decode(skies.sky())) is None
    cut = sky.decode(skies.SKY[:-1])
    assert (first_hour(cut), first_day(cut) is None) == (0.0, False)


@pytest.mark.parametrize(("text", "hour"), [("0:00", 0.0), ("7:30", 7.5), ("07:30", 7.5), ("24:00", 24.0)])
def test_times_as_text(text: str, hour: float) -> None:
    assert hour_of(text) == hour
    assert clock(hour) == text.rjust(5, "0")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "7",
        "7:",
        ":30",
        "7:3",
        "7:60",
        "24:01",
        "-1:00",
        "7:30:00",
        "\N{ARABIC-INDIC DIGIT SEVEN}:30",
        "7.5",
    ],
)
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match=r"^"):
        hour_of(text)


def test_the_corpus(samples: Path) -> None:
    root = samples / "field2"
    for path, truth in json.loads((root / "truth.json").read_text())["sky"].items():
        data = (root / path).read_bytes()
        decoded = sky.decode(data)
        assert (decoded.diagnostics, sky.encode(decoded)) == ((), data)
        facts = plain(sky.facts(decoded))
        assert facts["start"] == truth["start"]
        for found, section in zip(facts["sections"], truth["sections"], strict=True):
            assert found["day_seconds"] == section["day_seconds"]
            assert [it["event"] for it in found["keyframes"]] == section["events"]
            assert [[it["hour"], it["minute"]] for it in found["keyframes"]] == section["times"]
        lit = first_day(decoded)
        assert lit is not None
        for text, stated in truth["at"].items():
            moment = lit.at(hour_of(text))
            check_light(moment.light, stated)
            assert moment.fog == pytest.approx(stated["fog"], abs=1e-4)


def check_light(light: SkyLight, stated: dict[str, list[dict[str, list[float]]]]) -> None:
    assert light.scene == pytest.approx(stated["scene"], abs=1e-6)
    for found, expected in zip(light.lights, stated["lights"], strict=True):
        assert found.direction == pytest.approx(expected["direction"], abs=1e-6)
        assert found.color == pytest.approx(expected["color"], abs=1e-6)
