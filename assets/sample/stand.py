"""A road sign of 5 units on two posts: only its materials are animated."""

from __future__ import annotations

from assets.sample.motion import still
from assets.sample.shapes import solids
from assets.sample.shapes.finish import Finish, Piece, across, fitted
from assets.sample.spec import ModelSpec, Node
from assets.sample.surfaces.trims import rect

WHOLE = fitted((0.0, 0.0, 1.0, 1.0))

STEEL = Finish("TOWER_STEEL", across(0.5), 50)
FOOT = Finish("CONCRETE", across(0.25), 25)
SIGN = Finish("SIGN", WHOLE)
LAMP = Finish("FAILING_LAMP", WHOLE, 50)
BEACON = Finish("BEACON", WHOLE, 50)
HAZARD = Finish("TRIM", fitted(rect("hazard")))

WEAR = ("TOWER_STEEL", "CONCRETE", "SIGN", "FAILING_LAMP", "BEACON", "TRIM")

BOARD = (4.2, 2.1)
"""Width and height of the lit face."""

POSTS = (-1.3, 1.3)
"""Positions of the posts along X."""


def stand() -> ModelSpec:
    """The model, facing +Y."""
    nodes = [
        Node("Base_sign", None, still(), {(0, 0): _posts()}),
        Node("board", "Base_sign", still(0, 0.2, 3.2), {(0, 0): _board()}),
        Node("lamps", "board", still(0, 0.1, 1.42), {(0, 0): _lamps()}),
    ]
    return ModelSpec("s_sign", nodes, WEAR)


def _posts() -> list[Piece]:
    pieces = HAZARD.on(solids.box(2.3, 0.06, 0.5).moved(y=0.1, z=1.5))
    for x in POSTS:
        foot = solids.slab((0.9, 1.1), 0.5, (0.7, 0.9), chamfer=0.1)
        post = solids.slab((0.24, 0.24), 3.9, (0.18, 0.18), chamfer=0.05)
        pieces += FOOT.on(foot.moved(x=x)) + STEEL.on(post.moved(x=x, z=0.4))
    return pieces


def _board() -> list[Piece]:
    width, height = BOARD
    case = solids.slab((width + 0.3, 0.34), height + 0.3, chamfer=0.08).moved(z=-height / 2 - 0.15)
    face = solids.box(width, 0.04, height).moved(y=0.175).without(0, 1, 3, 4, 5)
    ribs = [solids.box(0.1, 0.1, height).moved(x=x, y=-0.2) for x in POSTS]
    return STEEL.on(case, *ribs) + SIGN.on(face)


def _lamps() -> list[Piece]:
    """A lamp over the center, facing forward, and a beacon at each end."""
    socket = solids.cylinder(0.34, 0.3, 12).turned("x", -90)
    glass = solids.disc(0.27, 12).turned("x", -90).textured("y")
    pieces = STEEL.on(socket, solids.box(0.3, 0.3, 0.3).moved(z=-0.3)) + LAMP.on(glass.moved(y=0.17))
    for x in (-2.0, 2.0):
        pieces += BEACON.on(solids.ball(0.18, 8).textured("z", 0.15).moved(x=x))
        pieces += STEEL.on(solids.cylinder(0.21, 0.2, 8).moved(x=x, z=-0.14))
    return pieces
