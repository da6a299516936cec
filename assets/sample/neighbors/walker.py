"""The walker's neighbors: what it can do, what it withstands, where it shoots and touches the ground."""

from __future__ import annotations

from assets.sample.neighbors.control_points import ControlPoint
from assets.sample.neighbors.controller import (
    ANCHOR,
    CRITICAL,
    ENGINE,
    GUN,
    GUN_MOUNT,
    LOAD,
    MENDED,
    NOT_DRIVEN,
    ON_NODE,
    ON_POINTS,
    RADAR,
    SWITCH_OFF,
    SWITCH_ON,
    TAKES_PREVIOUS,
    WRAPS,
    Channel,
    Controller,
    Part,
    Range,
    Start,
    State,
)
from assets.sample.neighbors.damage import LEFT, RIGHT
from assets.sample.spec import Node
from assets.sample.walker.gait import RUN, STAND, TURN, WALK, Movement
from assets.sample.walker.model import LEG
from assets.sample.walker.motion import ELEVATION, FIRE, GLANCE, HIGHEST, LEVEL, LOWEST
from assets.sample.walker.motion import TURN as TURRET_TURN

SHARE_OF_TURN = 0.35
"""Share of the turn in the walk along a curve."""

POINTS = (
    ControlPoint("Root", "root"),
    ControlPoint("Foot_l", "foot_l", (0.0, 0.0, -0.5), (0.0, 0.0, -1.0)),
    ControlPoint("Foot_r", "foot_r", (0.0, 0.0, -0.5), (0.0, 0.0, -1.0)),
    ControlPoint("CameraCenter", "CP_walker"),
    ControlPoint("Muzzle_l", "barrels_l", (0.0, 1.85, 0.0), (0.0, 60.0, 0.0)),
    ControlPoint("Muzzle_r", "barrels_r", (0.0, 1.85, 0.0), (0.0, 60.0, 0.0)),
    ControlPoint("Flash_l", "barrels_l", (0.0, 1.85, 0.0), (0.0, 1.0, 0.0)),
    ControlPoint("Flash_r", "barrels_r", (0.0, 1.85, 0.0), (0.0, 1.0, 0.0)),
    ControlPoint("Exhaust_l", "embers_l", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    ControlPoint("Exhaust_r", "embers_r", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    ControlPoint("Dust_l", "foot_l", (0.0, 0.0, -0.55), (0.0, 0.0, 1.0)),
    ControlPoint("Dust_r", "foot_r", (0.0, 0.0, -0.55), (0.0, 0.0, 1.0)),
)
FLASHES, EXHAUSTS, SOLES = (6, 7), (8, 9), (10, 11)
STEP_LEFT, STEP_RIGHT, LOADED, FIRED, CRITICAL_STATE, MENDED_STATE = range(6)
TURRET_NODE = 5
DISH = 5
"""The channel of the dish."""


def controller() -> Controller:
    """States for every movement, also backwards and along a curve; channels for turret and guns."""
    walking = (0.6 * WALK.speed, 0.5 * (WALK.speed + RUN.speed))
    left, right = (0.5 * TURN.spin, 2 * TURN.spin), (-2 * TURN.spin, -0.5 * TURN.spin)
    curve = (0.5 * SHARE_OF_TURN * TURN.spin, 2 * SHARE_OF_TURN * TURN.spin)
    states = {
        "stand": State(_frames(STAND), STAND.seconds, mode=ANCHOR),
        "walk": State(_frames(WALK), WALK.seconds, walking),
        "run": State(_frames(RUN), RUN.seconds, (walking[1], 1.3 * RUN.speed)),
        "turn left": State(_frames(TURN), TURN.seconds, spin=left, mode=ANCHOR),
        "turn right": State(_frames(TURN)[::-1], TURN.seconds, spin=right, mode=ANCHOR),
        "walk backward": State(_frames(WALK)[::-1], WALK.seconds, (-walking[1], -walking[0])),
        "walk left": State(_frames(WALK), WALK.seconds, walking, curve, _frames(TURN), SHARE_OF_TURN),
    }
    return Controller(
        states, _ways(), _channels(), contacts=((1, STEP_LEFT), (2, STEP_RIGHT)), groups=_groups(),
        on={LOAD: LOADED, CRITICAL: CRITICAL_STATE, MENDED: MENDED_STATE}, parts=_parts(),
        top_speed=(0.0, RUN.speed, 0.0), turn_rate=(6.28, 6.28, TURN.spin), lean=(0.15, 0.1, 0.0),
    )  # fmt: skip


def _frames(movement: Movement) -> Range:
    return movement.first, movement.last


def _ways() -> dict[tuple[str, str], float]:
    """From standing to every movement but running and back, and from walking to running."""
    pairs = [("stand", other) for other in ("walk", "turn left", "turn right", "walk backward")]
    pairs += [("walk", "run"), ("walk", "walk left")]
    return {pair: 1.0 for start, end in pairs for pair in ((start, end), (end, start))}


def _channels() -> tuple[Channel, ...]:
    level = (LEVEL - LOWEST) / (HIGHEST - LOWEST)
    rise = HIGHEST - LOWEST
    return (
        Channel("turret", TURRET_TURN, 1 + GLANCE / 360, 0.2, 360, WRAPS),
        Channel("gun_l", ELEVATION, level, 0.8, rise, GUN_MOUNT),
        Channel("gun_r", ELEVATION, level, 0.8, rise, GUN_MOUNT | TAKES_PREVIOUS),
        Channel("barrels_l", FIRE, 0.0, 3.0, flags=NOT_DRIVEN),
        Channel("barrels_r", FIRE, 0.0, 3.0, flags=NOT_DRIVEN | TAKES_PREVIOUS),
        Channel("dish", TURRET_TURN, 0.0, 0.5, 360, WRAPS),
    )


def _parts() -> tuple[Part, ...]:
    """The slot of the reactor, the guns, and the dish of the radar, which turns by itself."""
    return (
        Part(ENGINE, power=20.0, label="i_reactor"),
        Part(GUN, "gun_l", group=FIRED),
        Part(RADAR, "dish", channels=(DISH,), power=0.5, label="i_rdr"),
    )


def _groups() -> tuple[tuple[Start, ...], ...]:
    """Effects of its feet, engine, guns and damage; the ids of effects count from 0."""

    def at(point: int, effect: int, name: str) -> Start:
        return Start(ON_POINTS, (point, point, point, effect), name)

    return (
        (at(SOLES[0], 0, "step"),),
        (at(SOLES[1], 1, "step"),),
        (
            *(at(point, 2 + side, "exhaust") for side, point in enumerate(EXHAUSTS)),
            *(at(point, 4 + side, "dust") for side, point in enumerate(SOLES)),
        ),
        tuple(at(point, 6 + side, "muzzle") for side, point in enumerate(FLASHES)),
        (Start(ON_NODE, (TURRET_NODE, 0, 0, 8), "smoke"), Start(SWITCH_ON, (8, 0, 0, 0))),
        (Start(SWITCH_OFF, (8, 0, 0, 0)),),
    )


def hit_points(node: Node) -> float:
    """The body withstands more than what hangs on it."""
    return {"central": 900.0, "pelvis": 700.0, "turret": 500.0}.get(node.name, 250.0)


RUNNING_GEAR = {f"{part}_{side}": flag for part, _, _ in LEG for side, flag in (("l", LEFT), ("r", RIGHT))}
"""Flags of the parts of both legs."""
