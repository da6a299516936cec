"""How effects play: the worked examples of spec/effects.md, and a scalar reading of its formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.model.effects import scalar
from tests.model.effects.effects import (
    BOLT,
    BURST,
    LIGHT,
    SPRITE,
    STREAM,
    block,
    effect,
    random_effect,
)  # fmt: skip
from viewer.formats import fxid
from viewer.model.effects.chance import drawn, mixed, spread
from viewer.model.effects.clock import EffectClock, held
from viewer.model.effects.frame import EffectFrame, bases, side
from viewer.model.effects.moment import EffectMoment, EffectSprites
from viewer.model.effects.program import EffectInputs, EffectProgram, Spawn
from viewer.model.effects.shapes import dome, quad

CLOSE = 1e-5


def program(*blocks: bytes, seed: int = 1, **header: Any) -> EffectProgram:
    return EffectProgram.of(fxid.decode(effect(*blocks, **header)), seed)


def shown(*blocks: bytes, seconds: float, **header: Any) -> EffectMoment:
    return program(*blocks, **header).at(EffectInputs(seconds))


def close(found: object, expected: object) -> None:
    np.testing.assert_allclose(np.asarray(found, float), np.asarray(expected, float), rtol=0, atol=CLOSE)


def test_the_generator() -> None:
    first = drawn(np.array([0x56781234, 1], np.uint32), 5) * 65536
    assert first[:4, 0].tolist() == [22828, 37274, 41807, 9708]
    assert first[:, 1].tolist() == [2, 7, 8, 26, 43]
    close(spread(first[:2, 0] / 65536, 0.2), [-0.030334, 0.013751])


@pytest.mark.parametrize(
    ("particle", "state", "draws"),
    [((7, 2, 5), 0x738500C9, [19413, 35345, 37103, 29526]), ((1, 0, 0), 0x205F0435, None)],
)
def test_the_state_of_a_particle(particle: tuple[int, int, int], state: int, draws: list[int] | None) -> None:
    seed, number, index = particle
    found = mixed(seed, number, np.array([index]))
    assert found.tolist() == [state]
    if draws:
        assert (drawn(found, 4)[:, 0] * 65536).tolist() == draws


@pytest.mark.parametrize(
    ("seconds", "mode", "flags", "strength", "expected"),
    [
        (0.5, 1, 0, 0, 0.25), (0.5, 3, 0, 0, 0.75), (4.5, 2, 0, 0, 0.25), (3.6, 2, 0x20, 0, 0.4),
        (0.5, 4, 0x200, 0.8, 0.2), (0.5, 14, 0, 0.35, 0.65),
    ],
)  # fmt: skip
def test_the_time_of_an_effect(
    seconds: float, mode: int, flags: int, strength: float, expected: float
) -> None:
    clock = EffectClock(mode, 2.0, flags=flags, strength=strength)
    close(clock.time(np.array([seconds])), [expected])


def test_the_time_of_an_effect_without_duration_has_come() -> None:
    close(EffectClock(1, 0.0).time(np.array([0.0, 7.0])), [1, 1])


def test_the_jitter_is_added_before_the_time_is_clamped() -> None:
    """At 3.6 s of mode 2 with ping-pong the time is 0.4, and moves by what the state of step 36 draws."""
    clock = EffectClock(2, 2.0, 0.6, 0x21)
    (draw,) = scalar.draws(scalar.mix(1, 0xFFFF, 36), 1)
    close(clock.time(np.array([3.6])), [0.4 + scalar.uniform(draw, 0.6)])


@pytest.mark.parametrize(
    ("mode", "expected"), [(16, [0, 0.3, 0.8, 0.8, 1, 1, 1, 0, 0.4]), (17, [0, 0, 0, 0, 1, 0.6, 0.2, 0, 0])]
)
def test_a_value_that_only_rises_or_only_falls(mode: int, expected: list[float]) -> None:
    times = [0.0]
    for value in (0, 0.3, 0.8, 0.5, 1, 0.6, 0.2, 0, 0.4):
        times.append(held(mode, value, times[-1]))
    assert times[1:] == expected


def test_a_sprite_of_the_worked_example() -> None:
    """At t 0.35 of a window from 0.2 to 0.8 p is 0.25."""
    values = SPRITE | {
        "window_start": 0.2, "window_end": 0.8, "fade_start": 0.9, "fade_end": 0.1, "fade_power": 2,
        "position_low": (0, 1, 0), "position_high": (8, 3, -2), "position_exponents": (1, 2, 0.5),
        "size_low": (0.5,) * 3, "size_high": (2.5, 1.5, 0.5), "size_exponents": (2, 1, 0), "mode": 2,
    }  # fmt: skip
    moment = shown(
        block(3, **values | {"phase_start": 0.25, "phase_end": 2.75, "phase_power": 2}),
        block(3, **values | {"phase_start": -1, "phase_end": 9, "phase_power": 1}),
        seconds=0.37, time_mode=4, duration=2.0,
    )  # fmt: skip
    assert not moment.active.any()  # mode 4, whose value is 0
    played = program(
        block(3, **values | {"phase_start": 0.25, "phase_end": 2.75, "phase_power": 2}),
        block(3, **values | {"phase_start": -1, "phase_end": 9, "phase_power": 1}),
        time_mode=4,
    ).at(EffectInputs(0.37, strength=0.35))
    close(played.progress, [0.25, 0.25])
    close(played.sprites.alpha, [0.85, 0.85])
    close(played.sprites.center, [(2, 1.125, -1)] * 2)
    # Of mode 2 with direction x: x is to y, y to z, z to x, each times the size of that axis.
    sizes = [abs(it).sum(1) for it in (played.sprites.z, played.sprites.x, played.sprites.y)]
    close(np.transpose(sizes)[0], (0.625, 0.75, 0.5))
    close(played.sprites.phase, [0.40625, 0.33])


def test_a_burst_of_the_worked_example() -> None:
    values = BURST | {
        "count_0": 4, "count_1": 6, "window_start": 0.1, "window_end": 0.9, "life": 0.75, "fade_start": 1,
        "fade_end": 0, "fade_power": 0.5,
    }  # fmt: skip
    sprites = shown(block(7, **values), seconds=0.8).sprites
    assert sprites.particle.tolist() == list(range(24))
    close(sprites.alpha, [0.292893] * 24)


@pytest.mark.parametrize(
    ("age", "rate", "expected"), [(0.3, 0.8, 0.375), (0.7, 0.6, 0.99), (0.9, 1.5, 0.35), (0.4, -1, 0)]
)
def test_the_phase_of_a_burst(age: float, rate: float, expected: float) -> None:
    sprites = shown(block(7, **BURST | {"phase_rate": rate}), seconds=age * 2).sprites
    close(sprites.phase, [expected] * 6)


def test_the_frame_of_the_worked_example() -> None:
    axes = np.array([(0, 0, 4), (2, 0, 0), (0, 2, 0)], float)
    frame = EffectFrame.of(axes, np.full(3, 0.5), np.array([10.0, 20, 30]))
    eye = frame.inside(np.array([16.0, 18, 38]))
    close(eye, (4, 6, -2))
    q = np.array([(1.0, 0, 0)] * 3)
    close(frame.points(q), [(10, 20, 32)] * 3)
    found = bases(np.array([0, 1, 2]), eye, q, np.array([(0, 0, 0), (1, 0, 0), (0, 0.6, 0.8)], float))
    columns = [frame.directions(it * (1, 3, 2)) for it in found]
    close(columns[0], [(1.341641, 0, -1.788854), (0, 0, 2), (0, 0, 2)])
    close(columns[1], [(0.766652, 1.91663, 0.255551), (-0.948683, -1.897367, 0), (2.4, -1.2, 0)])
    close(columns[2][2], (1.8, 1.6, 0))
    close(
        side(np.array([(3, 4, 0), (3, 4, 12), (-1, 0, 5), (0, 3, 4)], float)),
        [(-4, 3, 0), (-0.8, 0.6, 0), (0, 1, 0), (1, 0, 0)],
    )


def test_a_glow_keeps_its_size_on_screen() -> None:
    glow = block(4, **SPRITE | {"reach": 500, "mode": 2, "size_low": (0.2,) * 3, "size_high": (9,) * 3})
    moment = program(glow, time_mode=4).at(EffectInputs(0, strength=0.8, eye=(0, -300, 0)))
    close(moment.progress, [0.48])
    close(abs(moment.sprites.x).sum(), 4.424)


def test_a_dome_of_the_worked_example() -> None:
    over_all = dome(0, is_faceted=False)
    distances = np.abs(over_all.corners - (0.353553, 0.353553, 0.866025)).sum(1)
    assert distances.min() < CLOSE
    close(over_all.uv[distances.argmin()], (0.676777, 0.676777))
    assert [dome(it, is_faceted=False).triangle_count for it in range(3)] == [40, 176, 408]
    faceted = dome(1, is_faceted=True).uv
    assert (faceted.min(), faceted.max(), quad().uv.max()) == (0, 0.99, 0.99)
    close(np.linalg.norm(over_all.corners, axis=1), np.ones(120))


@pytest.mark.parametrize(("length", "pieces"), [(0, 1), (49, 1), (430, 8), (5000, 20)])
def test_a_bolt_of_the_worked_example(length: float, pieces: int) -> None:
    bolt = block(5, **BOLT | {"width_start": 1.5, "width_end": 0.5})
    bolts = program(bolt).at(EffectInputs(0.5, target=(0, length, 0))).bolts
    assert bolts.pieces.tolist() == [pieces]
    close(bolts.width, [1.25])
    close((bolts.start[0], bolts.end[0]), [(0, length, 0), (0, 0, 0)])
    if length == 430:
        close(bolts.repeat, [10.75])


def test_a_light_of_the_worked_example() -> None:
    light = block(1, **LIGHT | {"range_start": 30, "range_end": 3})
    lights = shown(light, seconds=1, scale=(0.2,) * 3).lights
    close(lights.range, [3.3])
    close(lights.color, [(1, 1, 1, 1)])


def test_a_stream_of_the_worked_example() -> None:
    """At p 0.25 the interval is 0.085; of ring 12 it lives 1.02 s; the last one left 0.03 s ago."""
    stream = block(
        8, **STREAM | {
            "interval_start": 0.1, "interval_end": 0.04, "phase_exponent": -1, "position_high": (0, 0, 10),
            "position_jitter": (4, 4, 12),
        },
    )  # fmt: skip
    played = program(b"\6\0\0\0", b"\6\0\0\0", stream, seed=7, time_mode=4)
    sprites = played.at(EffectInputs(15 * 0.085 + 0.03, strength=0.25)).sprites
    ages = sprites.center[:, 2] / [10 + scalar.uniform(_draw(it, 1), 12) for it in sprites.particle.tolist()]
    assert sprites.particle.tolist() == list(range(4, 16))
    close(ages[[-1, -2, -4, 0]], [0.029412, 0.112745, 0.279412, 0.946078])
    fifth = sprites.rows(np.flatnonzero(sprites.particle == 5))
    close(fifth.phase, [0.296219])
    close(fifth.center / ages[1], [(-0.197876, 0.264587, 10.471863)])


def _draw(particle: int, index: int) -> int:
    return scalar.draws(scalar.mix(7, 2, particle), index + 1)[index]


def test_the_size_of_an_explosion() -> None:
    """Node radius 2.4 and radius 3 ask for 7.2, which a scale of 0.5 makes 3.6; a round asks for 3."""
    played = program(block(3, **SPRITE | {"mode": 2}), scale=(0.5,) * 3)
    for size, expected in ((7.2, 3.6), (3.0, 1.5)):
        close(abs(played.at(EffectInputs(1, size=size)).sprites.x).sum(), expected)


TARGET = (3.0, 4.0, -12.0)


def point(chance: np.random.Generator, most: float) -> tuple[float, float, float]:
    x, y, z = chance.uniform(-most, most, 3).tolist()
    return x, y, z


@pytest.mark.parametrize("seed", range(60))
def test_random_effects_agree_with_a_scalar_reading(seed: int) -> None:
    data = random_effect(seed)
    chance = np.random.default_rng(seed + 1000)
    played = EffectProgram.of(fxid.decode(data), seed)
    for number in range(3):
        at = EffectInputs(
            float(chance.choice([0.0, 0.37, 0.5, 1.25, 1.9, 2.618])),
            size=float(chance.uniform(0.5, 2)),
            strength=float(chance.choice([0.0, 0.35, 0.8, 1.0])),
            eye=point(chance, 20),
            target=TARGET,
            spawn=Spawn.SPREAD if number == 1 else Spawn.TOGETHER,
            has_steps=number == 2,
            is_set=bool(chance.integers(2)),
            axes=(point(chance, 2), point(chance, 2), point(chance, 2)),
            origin=point(chance, 5),
        )
        expected = scalar.ScalarEffect(
            data, seconds=at.seconds, seed=seed, size=at.size, strength=at.strength, eye=at.eye,
            is_spread=at.spawn is Spawn.SPREAD, has_steps=at.has_steps, is_set=at.is_set, axes=at.axes,
            origin=at.origin,
        )  # fmt: skip
        moment = played.at(at)
        close((moment.time, moment.age), (expected.t(at.seconds), expected.lin(at.seconds)))
        others: dict[int, dict[str, Any]] = {}
        for index, it in enumerate(expected.blocks):
            is_shown = expected.is_shown(index)
            assert moment.active[index] == is_shown
            assert played.blocks.on_top[index] == it.is_on_top
            sprites = moment.sprites.rows(np.flatnonzero(moment.sprites.block == index))
            _check_sprites(sprites, expected.sprites(index))
            if is_shown and it.type == 1:
                others[index] = expected.light(index)
            elif is_shown and it.type == 5:
                others[index] = expected.bolt(index, TARGET)
            elif is_shown and it.type == 2 and it.is_named:
                others[index] = expected.sound(index)
        found = {
            int(block): (table, row)
            for table in (moment.lights, moment.sounds, moment.bolts)
            for row, block in enumerate(table.block)
        }
        assert found.keys() == others.keys()
        for index, (table, row) in found.items():
            for name, value in others[index].items():
                close(getattr(table, name)[row], value)


def _check_sprites(found: EffectSprites, expected: list[dict[str, object]]) -> None:
    assert found.particle.tolist() == [it["particle"] for it in expected]
    for name in ("center", "x", "y", "z", "alpha", "phase") if expected else ():
        close(getattr(found, name), [it[name] for it in expected])


@pytest.mark.parametrize("stored", [np.nan, np.inf, -np.inf])
def test_a_place_that_is_not_finite_is_computed_in_silence(stored: float) -> None:
    """Tests make errors of numpy's warnings, which the shell would hide and a script would print."""
    made = program(block(3, **SPRITE), tested_point=(stored,) * 3, scale=(3e38,) * 3, flags=0x400)
    point = made.tested_point(EffectInputs(0.5, size=3e38))
    assert point is not None
    assert not np.isfinite(point).all()
