"""The gunner's place in the walker's turret, drawn by the machine's own view alone; the eye is its origin."""

from __future__ import annotations

from assets.sample.shapes import solids
from assets.sample.shapes.finish import Finish, Piece, fitted
from assets.sample.shapes.solids import Solid
from assets.sample.walker.skins import ARMOUR, GLASS, HAZARD, JOINT, LAMP, METAL, VENT

EYE = (0.0, 0.5, 0.68)
"""Position in the turret."""

SCREEN = Finish("SIGN", fitted((0.0, 0.0, 1.0, 1.0)))


def _pair(*parts: Solid) -> list[Solid]:
    return [*parts, *(part.mirrored() for part in parts)]


def cockpit() -> list[Piece]:
    """The frame of the window, the desk below it, and the walls beside it."""
    return _frame() + _desk() + _walls()


def _frame() -> list[Piece]:
    pillar = solids.tube([(0.44, 0.5, -0.34), (0.4, 0.58, 0.0), (0.3, 0.5, 0.34)], [0.035] * 3, 6)
    beam = solids.slab((0.74, 0.12), 0.1, (0.66, 0.08), bevel=0.02).moved(y=0.52, z=0.3)
    sight = solids.box(0.14, 0.008, 0.1).moved(y=0.46, z=0.16)
    holder = solids.box(0.02, 0.02, 0.16).moved(y=0.47, z=0.27)
    return ARMOUR.on(*_pair(pillar), beam) + JOINT.on(holder) + GLASS.on(sight)


def _desk() -> list[Piece]:
    desk = solids.slab((0.96, 0.36), 0.14, (0.9, 0.26), bevel=0.03, shift=(0, 0.04)).moved(y=0.42, z=-0.42)
    case = solids.slab((0.3, 0.06), 0.18, chamfer=0.015).turned("x", -24).moved(x=0.19, y=0.42, z=-0.29)
    screen = solids.box(0.26, 0.006, 0.14).turned("x", -24).moved(x=0.19, y=0.416, z=-0.192)
    lamps = [solids.ball(0.014, 6).textured("z").moved(x=0.04 * step, y=0.3, z=-0.28) for step in (-1, 0, 1)]
    stick = solids.tube([(0.0, 0.26, -0.36), (0.0, 0.24, -0.24), (0.0, 0.27, -0.17)], [0.02, 0.018, 0.026], 7)
    stripe = solids.box(0.9, 0.01, 0.03).moved(y=0.25, z=-0.34)
    pieces = METAL.on(desk) + JOINT.on(*_pair(case), stick) + HAZARD.on(stripe)
    return pieces + SCREEN.on(*_pair(screen)) + LAMP.on(*lamps)


def _walls() -> list[Piece]:
    wall = solids.slab((0.05, 0.7), 0.4, (0.05, 0.6), bevel=0.015).moved(x=0.5, y=0.2, z=-0.45)
    vent = solids.box(0.01, 0.36, 0.16).moved(x=0.474, y=0.16, z=-0.24)
    rail = solids.tube([(0.48, -0.1, -0.02), (0.48, 0.46, -0.02)], [0.02, 0.02], 6)
    return ARMOUR.on(*_pair(wall)) + VENT.on(*_pair(vent)) + METAL.on(*_pair(rail))
