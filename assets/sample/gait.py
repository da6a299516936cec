"""Motion of the walker: two strides, a turret that looks around, guns that fire independently.

The walker stays in place and the ground moves under it along -Y at `GROUND_SPEED`, so a foot that
is down moves with the ground and does not slide.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from assets.sample.motion import Track, Transform, aimed, ease, sampled, through, transform
from assets.sample.walker_body import EXHAUSTS, STACK
from assets.sample.walker_legs import ANKLE, CYLINDER_TOP, HIP_X, LEG_X, ROD_FOOT, SHIN, THIGH, TOES

CYCLE = 64
"""Frames of one stride of both legs."""

FRAMES = 2 * CYCLE
"""Time of the last key, which is equal to that at time 0."""

DUTY = 0.6
"""Fraction of the cycle in which a foot is down."""

STRIDE = 2.3
"""Distance that a foot moves while it is down."""

GROUND_SPEED = STRIDE / (DUTY * CYCLE)
"""Units per frame."""

LIFT = 0.85
HIP_HEIGHT = 3.62
FOOT_X = 1.42
TURRET_Z = 1.78

_EVERY_TWO = range(0, FRAMES + 1, 2)
_EVERY_FOUR = range(0, FRAMES + 1, 4)

SIDES = {"l": -1, "r": 1}
"""Sign of x on each side."""

OFFSET = {"l": 0.52, "r": 0.02}
"""Phase offset of each leg; at time 0 the stride is widest, with the right foot in front."""


def _phase(side: str, time: float) -> float:
    return (time / CYCLE + OFFSET[side]) % 1.0


def _swing(side: str, time: float) -> float:
    """Fraction of the foot's path through the air; 0 while it is down."""
    return max(0.0, (_phase(side, time) - DUTY) / (1 - DUTY))


def _wave(time: float, turns: float, lead: float = 0.0) -> float:
    return float(np.cos(2 * np.pi * (turns * time / CYCLE + lead)))


def foot_world(side: str, time: float) -> Transform:
    """``world_from_foot``: the ankle's path on the ground and through the air."""
    phase, u = _phase(side, time), _swing(side, time)
    x = FOOT_X * SIDES[side]
    if u == 0.0:
        return transform(x, STRIDE * (0.5 - phase / DUTY), ANKLE)
    slope = STRIDE * (1 - DUTY) / DUTY
    start, end = -STRIDE / 2, STRIDE / 2
    y = (2 * u**3 - 3 * u**2 + 1) * start + (3 * u**2 - 2 * u**3) * end
    y += (3 * u**2 - 2 * u**3 - u) * slope
    bump = float(np.sin(np.pi * u)) ** 2
    pitch = -30 * bump * float(np.cos(np.pi * u**0.8))
    return transform(x, y, ANKLE + LIFT * bump, ("x", pitch))


def pelvis_world(time: float) -> Transform:
    """``world_from_pelvis``: two bobs, one sway and one twist per stride, leaning over the supporting leg."""
    middle = OFFSET["l"] - DUTY / 2
    return transform(
        -0.17 * _wave(time, 1, middle),
        0.06 * _wave(time, 2, 2 * middle + 0.2),
        HIP_HEIGHT + 0.1 * _wave(time, 2, 2 * middle - 0.05),
        ("z", 5.0 * _wave(time, 1, middle + 0.25)),
        ("y", 2.5 * _wave(time, 1, middle - 0.04)),
        ("x", -3.0 - 1.2 * _wave(time, 2, 2 * middle + 0.15)),
    )


def _hip(side: str, time: float) -> Transform:
    """``world_from_hip``: swung outwards so that the leg's plane holds the ankle."""
    sign = SIDES[side]
    joint = pelvis_world(time) @ transform(sign * HIP_X, 0, 0)
    local = joint.inverse.at(foot_world(side, time).position)
    reach = float(np.hypot(local[0], local[2]))
    swing = np.degrees(np.arctan2(local[0], -local[2]) - np.arcsin(sign * LEG_X / reach))
    return joint @ transform(0, 0, 0, ("y", -float(swing)))


def _leg(side: str, time: float) -> dict[str, Transform]:
    """World transforms of thigh, shin and foot; the knee bends backwards."""
    sign = SIDES[side]
    top = _hip(side, time) @ transform(sign * LEG_X, 0, 0)
    foot = foot_world(side, time)
    target = top.inverse.at(foot.position)
    reach = float(np.hypot(target[1], target[2]))
    to_ankle = np.degrees(np.arctan2(target[1], -target[2]))
    thigh_bend = np.degrees(np.arccos((THIGH**2 + reach**2 - SHIN**2) / (2 * THIGH * reach)))
    knee_bend = np.degrees(np.arccos((THIGH**2 + SHIN**2 - reach**2) / (2 * THIGH * SHIN)))
    thigh = top @ transform(0, 0, 0, ("x", float(to_ankle - thigh_bend)))
    shin = thigh @ transform(0, 0, -THIGH, ("x", float(180 - knee_bend)))
    return {"hip": _hip(side, time), "thigh": thigh, "shin": shin, "foot": foot}


def _hydraulics(side: str, time: float) -> tuple[Transform, Transform]:
    """The cylinder in the thigh and the rod in the shin: each points at the other."""
    leg = _leg(side, time)
    top, bottom = np.array(CYLINDER_TOP), np.array(ROD_FOOT)
    in_thigh = leg["thigh"].inverse.at(leg["shin"].at(bottom))
    in_shin = leg["shin"].inverse.at(leg["thigh"].at(top))
    return Transform(top, aimed(top, in_thigh)), Transform(bottom, aimed(bottom, in_shin))


def _toe(side: str, name: str, time: float) -> Transform:
    """Toes hang while the foot is in the air and spread flat before it lands."""
    u = _swing(side, time)
    droop = 34.0 * float(np.sin(np.pi * u)) ** 2 * (1 - 0.4 * u)
    spread = {"toe_in": 9.0, "toe_out": -9.0, "heel": 0.0}[name]
    sign = SIDES[side]
    x, y, z = TOES[name]
    bend = droop if name == "heel" else -droop
    return transform(sign * x, y, z, ("z", sign * spread), ("x", bend))


def leg_tracks(side: str) -> dict[str, Track]:
    """Tracks of all nodes of one leg, relative to their parents, by name without the side."""

    def relative(parent: str, child: str) -> Track:
        return sampled(lambda time: _leg(side, time)[parent].inverse @ _leg(side, time)[child], _EVERY_TWO)

    tracks = {
        "hip": sampled(lambda time: pelvis_world(time).inverse @ _hip(side, time), _EVERY_TWO),
        "thigh": relative("hip", "thigh"),
        "shin": relative("thigh", "shin"),
        "foot": relative("shin", "foot"),
        "cylinder": sampled(lambda time: _hydraulics(side, time)[0], _EVERY_TWO),
        "rod": sampled(lambda time: _hydraulics(side, time)[1], _EVERY_TWO),
    }
    return tracks | {toe: sampled(partial(_toe, side, toe), _EVERY_FOUR) for toe in TOES}


_YAW = through([(0, -20), (6, -20), (32, 36), (62, 36), (92, -42), (114, -42), (128, -20)])
_ELEVATION = {
    "l": through([(0, 5), (24, -10), (60, -10), (80, -2), (96, 12), (114, 12), (128, 5)]),
    "r": through([(0, -4), (20, 4), (36, -8), (60, -8), (84, 10), (112, 10), (128, -4)]),
}
_SHOTS = {"l": (40, 50), "r": (96, 106)}
_RECOIL = 0.42
_GLANCES = through(
    [(0, 22), (10, 22), (18, -30), (40, -30), (46, 25), (70, 25), (78, -8), (100, -8), (108, 35), (128, 22)]
)


def _kick(side: str, time: float) -> float:
    """Recoil distance of the barrels: back at once, then slowly forward."""
    since = [time - shot for shot in _SHOTS[side] if time > shot]
    return _RECOIL * (1 - ease((min(since) - 1) / 8)) if since else 0.0


def _recoil_times(side: str) -> list[int]:
    shots = {shot + after for shot in _SHOTS[side] for after in (0, 1, 3, 5, 7, 9)}
    return sorted(shots | {0, FRAMES})


def _hull(time: float) -> Transform:
    """``pelvis_from_hull``: moves less than the pelvis, with a nod when a foot lands."""
    middle = OFFSET["l"] - DUTY / 2
    yaw, roll = -4.0 * _wave(time, 1, middle + 0.25), -1.7 * _wave(time, 1, middle - 0.04)
    pitch = 2.0 - 1.4 * _wave(time, 2, 2 * middle + 0.3)
    return transform(0, 0, 0.58, ("z", yaw), ("y", roll), ("x", pitch))


def _aerial(x: float, y: float, z: float, lag: float, lean: float) -> Track:
    """A whip that trails behind the body's bob and sway."""

    def bend(time: float) -> Transform:
        pitch = lean + 1.6 * lean * _wave(time, 2, 0.3 - lag)
        return transform(x, y, z, ("x", pitch), ("y", -lean * _wave(time, 1, 0.1 - lag)))

    return sampled(bend, _EVERY_FOUR)


def _flap(x: float, lead: float) -> Track:
    """A lid that rattles over its exhaust, open more when the body is pushed up."""
    _, y, z = STACK

    def rattle(time: float) -> Transform:
        opening = 34 + 14 * _wave(time, 2, lead) + 5 * _wave(time, 8, 3 * lead)
        return transform(x, y - 0.22, z + 0.03, ("x", opening))

    return sampled(rattle, range(0, FRAMES + 1, 2))


def body_tracks() -> dict[str, Track]:
    """Tracks of everything above the legs."""
    tracks = {
        "pelvis": sampled(pelvis_world, _EVERY_TWO),
        "central": sampled(_hull, _EVERY_FOUR),
        "turret": sampled(lambda time: transform(0, 0, TURRET_Z, ("z", _YAW(time))), _EVERY_FOUR),
        "eye": sampled(lambda time: transform(0, 1.16, 0.66, ("z", _GLANCES(time)), ("x", -6)), _EVERY_TWO),
        "dish": sampled(
            lambda time: transform(-0.34, -0.5, 0.98, ("z", time * 360 / CYCLE)), range(0, FRAMES + 1, 8)
        ),
        "antenna": _aerial(0.46, -0.72, 0.94, 0.1, 4.0),
        "antenna_tip": _aerial(0, 0, 0.75, 0.2, 7.0),
        "flap_l": _flap(EXHAUSTS[0], 0.15),
        "flap_r": _flap(EXHAUSTS[1], 0.4),
    }
    for side, sign in SIDES.items():
        tracks[f"gun_{side}"] = _gun_track(side, sign)
        tracks[f"barrels_{side}"] = sampled(_recoil(side, sign), _recoil_times(side))
    return tracks


def _radar(time: float) -> Transform:
    return transform(-0.34, -0.5, 0.98, ("z", time * 360 / CYCLE))


def _gun_track(side: str, sign: int) -> Track:
    return sampled(lambda time: transform(sign * 1.14, 0, 0.52, ("x", -_ELEVATION[side](time))), _EVERY_FOUR)


def _recoil(side: str, sign: int) -> Callable[[float], Transform]:
    return lambda time: transform(sign * 0.3, 1.05 - _kick(side, time), 0)
