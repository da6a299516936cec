"""The neighbors of tower, tree, drone, turret and gun."""

from __future__ import annotations

from math import pi

from assets.sample import crawler, sentry, tree
from assets.sample.neighbors.control_points import ControlPoint
from assets.sample.neighbors.controller import (
    ANCHOR,
    CRITICAL,
    DEVICE,
    ENGINE,
    FORWARD_SPEED,
    GUN_MOUNT,
    LOAD,
    NOT_DRIVEN,
    ON_POINTS,
    ON_SPHERE,
    PLAYS_MATERIAL,
    SPIN_LEFT,
    SPIN_RIGHT,
    TAKES_PREVIOUS,
    WRAPS,
    Channel,
    Controller,
    Part,
    Start,
    State,
)
from assets.sample.neighbors.controller import GUN as GUN_CLASS
from assets.sample.spec import Node
from assets.sample.tower import model as tower

TOP_SPEED = 4.0
"""Units a second of the crawler."""
LINK_RATE = TOP_SPEED / crawler.link_length()
WHEEL_RATE = TOP_SPEED / (2 * pi * crawler.RADIUS)
RISE = sentry.HIGHEST - sentry.LOWEST

TURRET = Controller(
    {"stand": State((0, 0), 1.0, mode=ANCHOR)},
    channels=(Channel("turret", sentry.TURN, 0.0, 0.25, 360, WRAPS),),
)
GUN = Controller(
    {"stand": State((0, 0), 1.0, mode=ANCHOR)},
    channels=(
        Channel("mount", sentry.ELEVATION, -sentry.LOWEST / RISE, 0.6, RISE, GUN_MOUNT),
        Channel("barrels", sentry.FIRE, 0.0, 4.0, flags=NOT_DRIVEN),
    ),
    groups=[[Start(ON_POINTS, (point,) * 3 + (point,), "laser") for point in (2, 3)]],
    parts=(Part(GUN_CLASS, "barrels", group=0),),
)


def _running(side: str) -> tuple[Channel, ...]:
    """The channels of the belt and the wheels of a side of the crawler."""
    first, *others = (f"wheel_{side}{number}" for number in range(len(crawler.WHEELS)))
    return (
        Channel(f"belt_{side}", (-1, -1), rate=LINK_RATE, flags=WRAPS | PLAYS_MATERIAL),
        Channel(first, crawler.TURN, 0.0, WHEEL_RATE, 360, WRAPS),
        *(Channel(it, crawler.TURN, 0.0, WHEEL_RATE, 360, WRAPS | TAKES_PREVIOUS) for it in others),
    )


CRAWLER = Controller(
    {"stand": State((0, 0), 1.0, mode=ANCHOR)},
    channels=(*_running("l"), *_running("r"), Channel("fan", crawler.TURN, 0.0, 2.0, 360, WRAPS)),
    parts=(
        Part(ENGINE, power=10.0, label="i_reactor"),
        Part(DEVICE, "belt_l", (0, 1), (FORWARD_SPEED, SPIN_RIGHT), (1.0, 0.5)),
        Part(DEVICE, "belt_r", (4, 5), (FORWARD_SPEED, SPIN_LEFT), (1.0, 0.5)),
        Part(DEVICE, "fan", (8,)),
    ),
    top_speed=(0.0, TOP_SPEED, 0.0),
    turn_rate=(6.28, 6.28, 1.0),
)
REACTOR = Controller()
"""An internal part without a model."""
TREE = Controller({"sway": State((0, tree.SWAY), 5.0, mode=ANCHOR)})
TOWER = Controller(
    {"stand": State((0, 0), 1.0, mode=ANCHOR)},
    channels=(
        Channel("o07_gate_l", tower.OPENING, 0.0, 0.5),
        Channel("o07_gate_r", tower.OPENING, 0.0, 0.5, flags=TAKES_PREVIOUS),
        Channel("o06_radar", (0, tower.FRAMES), 0.0, 0.1, 360, WRAPS),
    ),
    groups=[
        [Start(ON_POINTS, (2, 2, 2, 0), "beacon"), Start(ON_SPHERE, (0, 0, 0, 1), "shield")],
        [Start(ON_POINTS, (2, 2, 2, 2), "smoke")],
    ],
    on={LOAD: 0, CRITICAL: 1},
    dead_seconds=60.0,
)

TURRET_POINTS = (
    ControlPoint("Root", "root"),
    ControlPoint("TurretCenter", "turret"),
    ControlPoint("CameraCenter", "CP_turret"),
)
GUN_POINTS = (
    ControlPoint("Muzzle_l", "barrels", (-0.09, 1.3, 0.0), (0.0, 80.0, 0.0)),
    ControlPoint("Muzzle_r", "barrels", (0.09, 1.3, 0.0), (0.0, 80.0, 0.0)),
    ControlPoint("Flash_l", "barrels", (-0.09, 1.3, 0.0), (0.0, 1.0, 0.0)),
    ControlPoint("Flash_r", "barrels", (0.09, 1.3, 0.0), (0.0, 1.0, 0.0)),
)
TOWER_POINTS = (
    ControlPoint("Root", "Base_tower"),
    ControlPoint("Sign_Entrance1", "o01_bunker", (0.0, 14.5, 0.6)),
    ControlPoint("Beacon", "o06_radar", (0.0, 0.0, 1.0), (0.0, 0.0, 1.0)),
)


def hit_points(node: Node) -> float:
    """Parts of a building withstand more than machines."""
    return 2500.0 if node.name.startswith(("o0", "i0")) else 180.0
