"""The neighbors of tower, tree, drone, turret and gun."""

from __future__ import annotations

from assets.sample import sentry, tree
from assets.sample.neighbors.control_points import ControlPoint
from assets.sample.neighbors.controller import (
    ANCHOR,
    CRITICAL,
    GUN_MOUNT,
    LOAD,
    NOT_DRIVEN,
    ON_POINTS,
    ON_SPHERE,
    TAKES_PREVIOUS,
    WRAPS,
    Channel,
    Controller,
    Start,
    State,
)
from assets.sample.spec import Node
from assets.sample.tower import model as tower

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
    of_components=(0,),
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
