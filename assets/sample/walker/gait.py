"""Movements of the walker: how it stands, walks, runs and turns, one after the other in a strip of frames.

Between two frames of its own a movement is a cycle: its last frame is like its first. The legs move under
a root that travels along +Y, so a foot that is down stays where it is on the ground while the root moves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from assets.sample.motion import Key, Track, Transform, aimed, sampled, transform
from assets.sample.walker.legs import ANKLE, CYLINDER_TOP, HIP_X, LEG_X, ROD_FOOT, SHIN, THIGH, TOES

FOOT_X = 1.42
SIDES = {"l": -1, "r": 1}
"""Sign of x on each side."""

OFFSET = {"l": 0.5, "r": 0.0}
"""Phase offset of each leg; a foot comes down when its phase is 0."""


@dataclass(frozen=True)
class Movement:
    """A cycle of steps of both legs.

    Parameters
    ----------
    first, length
        The first of its frames, and the number of frames to the last.
    seconds
        Its duration in the game.
    step
        Frames between keys of a leg.
    duty
        Fraction of the cycle in which a foot is down.
    stride, turn
        Distance that the body moves forward, and angle in degrees that it turns left, while a foot is down.
    stagger
        Distance of the left foot in front of the middle, and of the right one behind it.
    lift, pitch
        Height of a foot in the air, and the angle at which it hangs, degrees.
    height, bob
        Height of the pelvis, and how much higher it is over a foot in the middle of its step.
    sway, twist, roll
        To the supporting side, in units; about Z and about Y, degrees.
    lean
        Forward, degrees.
    """

    first: int
    length: int
    seconds: float
    step: int = 1
    duty: float = 0.625
    stride: float = 0.0
    turn: float = 0.0
    stagger: float = 0.0
    lift: float = 0.0
    pitch: float = 0.0
    height: float = 3.62
    bob: float = 0.0
    sway: float = 0.0
    twist: float = 0.0
    roll: float = 0.0
    lean: float = 3.0

    @property
    def last(self) -> int:
        """The last frame, like the first one."""
        return self.first + self.length

    @property
    def distance(self) -> float:
        """Distance forward in one cycle."""
        return self.stride / self.duty

    @property
    def speed(self) -> float:
        """Speed forward in the game, units per second."""
        return self.distance / self.seconds

    @property
    def spin(self) -> float:
        """Speed of the turn to the left in the game, radians per second."""
        return float(np.radians(self.turn / self.duty)) / self.seconds


STAND = Movement(0, 12, 3.6, 2, duty=1.0, stagger=0.42, height=3.5, bob=0.045, sway=0.05, twist=0.8, roll=0.6)
WALK = Movement(
    16, 24, 1.1, stride=2.3, lift=0.85, pitch=30, bob=0.1, sway=0.17, twist=5.0, roll=2.5, lean=3.0
)
RUN = Movement(
    44, 16, 0.68, duty=0.375, stride=3.0, lift=1.25, pitch=44, height=3.5, bob=-0.16, sway=0.08,
    twist=7.0, roll=1.5, lean=9.0,
)  # fmt: skip
TURN = Movement(64, 16, 1.3, turn=30.0, lift=0.6, pitch=14, height=3.55, bob=0.06, sway=0.14, roll=2.0)
REST = 84
"""From this frame on the body stands, while turret and guns have frames of their own."""

MOVEMENTS = (STAND, WALK, RUN, TURN)


@dataclass(frozen=True)
class Moment:
    """A phase of a movement, 0 to 1."""

    movement: Movement
    phase: float = 0.0

    def wave(self, turns: float, lead: float = 0.0) -> float:
        """A cosine of the phase with its peak in the middle of the left foot's step, moved by `lead`."""
        middle = turns * (OFFSET["l"] - self.movement.duty / 2)
        return float(np.cos(2 * np.pi * (turns * self.phase + middle + lead)))

    def step(self, side: str) -> float:
        """The phase of one leg; its foot comes down at 0."""
        return (self.phase + OFFSET[side]) % 1.0

    def swing(self, side: str) -> float:
        """Fraction of the foot's path through the air; 0 while it is down."""
        duty = self.movement.duty
        return max(0.0, (self.step(side) - duty) / (1 - duty)) if duty < 1 else 0.0

    def reach(self, side: str) -> float:
        """Position of a foot along its step: 0.5 where it comes down, -0.5 where it leaves the ground."""
        duty, u = self.movement.duty, self.swing(side)
        if u == 0.0:
            return 0.5 - self.step(side) / duty
        return 3 * u**2 - 2 * u**3 - 0.5 + (3 * u**2 - 2 * u**3 - u) * (1 - duty) / duty


def moment(frame: float) -> Moment:
    """Pose of the body at a frame inside a movement, or from `REST` on."""
    for movement in MOVEMENTS:
        if movement.first <= frame <= movement.last:
            return Moment(movement, (frame - movement.first) / movement.length)
    return Moment(STAND)


def frames(step: int = 1) -> list[int]:
    """The frames with keys: at most every `step` of each movement, and `REST`."""
    return [
        frame
        for movement in MOVEMENTS
        for frame in range(movement.first, movement.last + 1, max(step, movement.step))
    ] + [REST]


def root_track() -> Track:
    """The root travels with the feet, and on between walking and running."""
    start, pause = WALK.distance + 1.1, 0.9
    places = (
        (0, 0.0),
        (WALK.first, 0.0),
        (WALK.last, WALK.distance),
        (RUN.first, start),
        (RUN.last, start + RUN.distance),
        (TURN.first, start + RUN.distance + pause),
    )
    return tuple(Key(frame, transform(0, y, 0)) for frame, y in places)


def foot_in_root(side: str, now: Moment) -> Transform:
    """The ankle's path on the ground and through the air."""
    movement, reach, u = now.movement, now.reach(side), now.swing(side)
    bump = float(np.sin(np.pi * u)) ** 2
    pitch = -movement.pitch * bump * float(np.cos(np.pi * u**0.8))
    home = SIDES[side] * FOOT_X, -SIDES[side] * movement.stagger
    turned = transform(0, 0, 0, ("z", movement.turn * reach))
    lifted = transform(*home, ANKLE + movement.lift * bump, ("x", pitch))
    return transform(0, movement.stride * reach, 0) @ turned @ lifted


def pelvis_in_root(now: Moment) -> Transform:
    """Two bobs, one sway and one twist per cycle, leaning over the supporting leg."""
    it = now.movement
    return transform(
        -it.sway * now.wave(1),
        0.6 * it.bob * now.wave(2, 0.2),
        it.height + it.bob * now.wave(2, -0.05),
        ("z", it.twist * now.wave(1, 0.25)),
        ("y", it.roll * now.wave(1, -0.04)),
        ("x", -it.lean - 12 * it.bob * now.wave(2, 0.15)),
    )


def _hip(side: str, now: Moment) -> Transform:
    """``root_from_hip``: swung outwards so that the leg's plane holds the ankle."""
    sign = SIDES[side]
    joint = pelvis_in_root(now) @ transform(sign * HIP_X, 0, 0)
    local = joint.inverse.at(foot_in_root(side, now).position)
    reach = float(np.hypot(local[0], local[2]))
    swing = np.degrees(np.arctan2(local[0], -local[2]) - np.arcsin(sign * LEG_X / reach))
    return joint @ transform(0, 0, 0, ("y", -float(swing)))


@cache
def _leg(side: str, frame: int) -> dict[str, Transform]:
    """``root_from_node`` of pelvis, hip, thigh, shin and foot; the knee bends backwards."""
    now = moment(frame)
    hip, foot = _hip(side, now), foot_in_root(side, now)
    top = hip @ transform(SIDES[side] * LEG_X, 0, 0)
    target = top.inverse.at(foot.position)
    reach = float(np.hypot(target[1], target[2]))
    to_ankle = np.degrees(np.arctan2(target[1], -target[2]))
    thigh_bend = np.degrees(np.arccos((THIGH**2 + reach**2 - SHIN**2) / (2 * THIGH * reach)))
    knee_bend = np.degrees(np.arccos((THIGH**2 + SHIN**2 - reach**2) / (2 * THIGH * SHIN)))
    thigh = top @ transform(0, 0, 0, ("x", float(to_ankle - thigh_bend)))
    shin = thigh @ transform(0, 0, -THIGH, ("x", float(180 - knee_bend)))
    return {"pelvis": pelvis_in_root(now), "hip": hip, "thigh": thigh, "shin": shin, "foot": foot}


def _hydraulics(side: str, frame: int) -> tuple[Transform, Transform]:
    """The cylinder in the thigh and the rod in the shin: each points at the other."""
    leg = _leg(side, frame)
    top, bottom = np.array(CYLINDER_TOP), np.array(ROD_FOOT)
    in_thigh = leg["thigh"].inverse.at(leg["shin"].at(bottom))
    in_shin = leg["shin"].inverse.at(leg["thigh"].at(top))
    return Transform(top, aimed(top, in_thigh)), Transform(bottom, aimed(bottom, in_shin))


def _toe(side: str, name: str, frame: int) -> Transform:
    """Toes hang while the foot is in the air and spread flat before it lands."""
    u = moment(frame).swing(side)
    droop = 34.0 * float(np.sin(np.pi * u)) ** 2 * (1 - 0.4 * u)
    spread = {"toe_in": 9.0, "toe_out": -9.0, "heel": 0.0}[name]
    sign = SIDES[side]
    x, y, z = TOES[name]
    bend = droop if name == "heel" else -droop
    return transform(sign * x, y, z, ("z", sign * spread), ("x", bend))


def leg_tracks(side: str) -> dict[str, Track]:
    """Tracks of all nodes of one leg, relative to their parents, by name without the side."""

    def relative(parent: str, child: str) -> Track:
        return keyed(lambda frame: _leg(side, frame)[parent].inverse @ _leg(side, frame)[child])

    tracks = {
        "hip": relative("pelvis", "hip"),
        "thigh": relative("hip", "thigh"),
        "shin": relative("thigh", "shin"),
        "foot": relative("shin", "foot"),
        "cylinder": keyed(lambda frame: _hydraulics(side, frame)[0]),
        "rod": keyed(lambda frame: _hydraulics(side, frame)[1]),
    }
    return tracks | {toe: keyed(partial(_toe, side, toe), 2) for toe in TOES}


def keyed(transforms: Callable[[int], Transform], step: int = 1) -> Track:
    """The track of a node that moves with the body."""
    return sampled(transforms, frames(step))
