"""The driver's place in the walker's hull, drawn by the machine's own view alone; the eye is its origin."""

from __future__ import annotations

from assets.sample.shapes import solids
from assets.sample.shapes.finish import Finish, Piece, fitted
from assets.sample.shapes.solids import Solid
from assets.sample.walker.skins import ARMOUR, GLASS, HAZARD, JOINT, LAMP, METAL, VENT

EYE = (0.0, 0.1, 1.0)
"""Position in the hull, behind the vision slit, in the middle of the cockpit."""

SCREEN = Finish("SIGN", fitted((0.0, 0.0, 1.0, 1.0)))


def _pair(*parts: Solid) -> list[Solid]:
    return [*parts, *(part.mirrored() for part in parts)]


def cockpit() -> list[Piece]:
    """The frame of the window, the desk below it, the walls beside it, the roof, and the seat."""
    return _frame() + _desk() + _walls() + _back()


def _frame() -> list[Piece]:
    pillar = solids.tube([(0.56, 1.06, -0.4), (0.54, 1.18, 0.0), (0.42, 1.06, 0.4)], [0.04] * 3, 6)
    beam = solids.slab((0.96, 0.2), 0.12, (0.86, 0.14), bevel=0.02).moved(y=1.06, z=0.34)
    sight = solids.box(0.2, 0.008, 0.14).moved(y=1.0, z=0.25)
    holder = solids.box(0.02, 0.02, 0.1).moved(y=1.01, z=0.36)
    return ARMOUR.on(*_pair(pillar), beam) + JOINT.on(holder) + GLASS.on(sight)


def _desk() -> list[Piece]:
    desk = solids.slab((1.16, 0.5), 0.14, (1.1, 0.36), bevel=0.03, shift=(0, 0.06)).moved(y=0.9, z=-0.46)
    case = solids.slab((0.36, 0.06), 0.2, chamfer=0.015).turned("x", -20).moved(x=0.24, y=0.92, z=-0.33)
    screen = solids.box(0.32, 0.006, 0.16).turned("x", -20).moved(x=0.24, y=0.915, z=-0.225)
    lamps = [solids.ball(0.016, 6).textured("z").moved(x=0.05 * step, y=0.76, z=-0.31) for step in (-1, 0, 1)]
    stick = solids.tube([(0.0, 0.7, -0.42), (0.0, 0.68, -0.3), (0.0, 0.71, -0.22)], [0.022, 0.018, 0.026], 7)
    stripe = solids.box(1.1, 0.01, 0.04).moved(y=0.66, z=-0.36)
    pieces = METAL.on(desk) + JOINT.on(*_pair(case), stick) + HAZARD.on(stripe)
    return pieces + SCREEN.on(*_pair(screen)) + LAMP.on(*lamps)


def _walls() -> list[Piece]:
    wall = solids.slab((0.05, 1.9), 0.3, (0.05, 1.8), bevel=0.015).moved(x=0.6, y=0.1, z=-0.46)
    vent = solids.box(0.01, 0.5, 0.16).moved(x=0.574, y=0.5, z=-0.3)
    rail = solids.tube([(0.58, -0.6, -0.06), (0.58, 1.1, -0.06)], [0.022, 0.022], 6)
    return ARMOUR.on(*_pair(wall)) + VENT.on(*_pair(vent)) + METAL.on(*_pair(rail))


def _back() -> list[Piece]:
    roof = solids.slab((1.1, 2.2), 0.06, bevel=0.015).moved(z=0.4)
    ribs = [solids.box(1.06, 0.05, 0.04).moved(y=y, z=0.39) for y in (-0.4, 0.1, 0.6)]
    seat = solids.slab((0.5, 0.12), 0.6, (0.36, 0.1), bevel=0.03, shift=(0, -0.1)).moved(y=-0.8, z=-0.46)
    rest = solids.box(0.3, 0.1, 0.2, bevel=0.03).moved(y=-1.12, z=0.24)
    return ARMOUR.on(roof) + METAL.on(*ribs) + JOINT.on(seat, rest)
