"""The walker above the hips: hull, turret, guns, sensors, aerials and exhausts. It faces +Y."""

from __future__ import annotations

from assets.sample.shapes import solids
from assets.sample.shapes.finish import Piece
from assets.sample.shapes.solids import Solid
from assets.sample.spec import Level
from assets.sample.walker.skins import (
    ARMOUR,
    FACETS,
    GLASS,
    GLOW,
    HALO,
    HATCH,
    HAZARD,
    JOINT,
    LAMP,
    METAL,
    NUMBER,
    SCORCHED,
    VENT,
)

EXHAUSTS = (-0.62, 0.62)
"""Positions of the stacks along X."""

STACK = (0.0, -1.28, 1.72)
"""Opening of a stack, in hull space."""


def _pair(solid: Solid) -> tuple[Solid, Solid]:
    return solid, solid.mirrored()


def hull(level: Level) -> list[Piece]:
    """The body: a faceted tub with a sloped bow and side sponsons."""
    pieces = _tub(level)
    if level.is_coarse:
        return pieces
    return pieces + _bow(level) + _sponsons(level) + (_wounds(level) if level.is_damaged else [])


def _tub(level: Level) -> list[Piece]:
    sections = [(1.5, 1.5, 0.0), (2.3, 2.3, 0.34), (2.66, 2.62, 0.9), (2.5, 2.44, 1.3), (1.9, 1.85, 1.58)]
    cut = 0.0 if level.is_coarse else 0.42
    rings = [solids.ring(solids.rectangle(w, d, cut * w / 2.6), z) for w, d, z in sections]
    return FACETS.on(solids.loft(rings)) + METAL.on(level.rod(0.72, 0.3, 14).moved(z=1.64))


def _bow(level: Level) -> list[Piece]:
    """The sloped front with its vision slit and chin."""
    # Tilted upwards, as all armour that faces the front: what is upright there takes no light of the game.
    jaw = level.slab((1.9, 1.2), 0.5, (1.5, 0.9), bevel=0.08, shift=(0, -0.05)).moved(y=1.15, z=0.26)
    pieces = (SCORCHED if level.is_damaged else ARMOUR).on(jaw)
    slit = level.slab((1.36, 0.3), 0.26, (1.2, 0.22), bevel=0.04).moved(y=1.36, z=0.86)
    pieces += GLASS.on(slit) + JOINT.on(slit.scaled(x=0.99).moved(y=-0.035))
    brow = level.slab((1.7, 0.62), 0.26, (1.3, 0.4), bevel=0.06, shift=(0, -0.12)).moved(y=1.2, z=1.1)
    if not level.is_damaged:
        pieces += ARMOUR.on(brow)
    pieces += METAL.on(*_pair(level.slab((0.16, 0.42), 0.3, bevel=0.03).moved(x=0.78, y=1.34, z=0.84)))
    return pieces


def engine(level: Level) -> list[Piece]:
    """The engine at the back, with two exhaust stacks."""
    block = level.slab((1.7, 0.8), 1.1, (1.5, 0.62), bevel=0.1).moved(y=-1.3, z=0.3)
    stacks = [_stack(level).moved(x=x, y=STACK[1], z=STACK[2] - 0.55) for x in EXHAUSTS]
    pieces = METAL.on(block) + JOINT.on(*stacks)
    if level.is_coarse:
        return pieces
    if level.is_fine:
        hose = [(0.5, -1.62, 0.5), (0.75, -1.9, 0.4), (0.98, -1.72, 0.2), (0.9, -1.25, 0.14)]
        pieces += JOINT.on(*_pair(solids.tube(hose, [0.09] * 4, 6)))
    grille = level.box(1.1, 0.06, 0.62, bevel=0.0).moved(y=-1.7, z=0.84)
    return pieces + VENT.on(grille)


def _stack(level: Level) -> Solid:
    return solids.pipe(0.2, 0.14, 1.1, level.sides(11))


def _sponsons(level: Level) -> list[Piece]:
    pieces: list[Piece] = []
    shell = level.slab((0.5, 1.5), 0.78, (0.36, 1.2), bevel=0.09).moved(x=1.42, z=0.5)
    pieces += ARMOUR.on(shell)
    pieces += (SCORCHED if level.is_damaged else ARMOUR).on(shell.mirrored())
    pieces += VENT.on(*_pair(level.box(0.06, 0.86, 0.34, bevel=0.0).moved(x=1.66, y=-0.1, z=0.84)))
    if not level.is_damaged:
        skirt = level.slab((0.12, 1.16), 0.56, (0.12, 1.5), bevel=0.04, shift=(0.1, 0)).turned("y", -14)
        pieces += ARMOUR.on(*_pair(skirt.moved(x=1.36, z=-0.02)))
    return pieces


def fittings(level: Level) -> list[Piece]:
    """Lamps, rails, a hatch and number plates."""
    if not level.is_fine:
        return []
    lamp = solids.cylinder(0.15, 0.12, 14, bevel=0.02).turned("x", -90)
    glass = solids.cylinder(0.115, 0.04, 14).turned("x", -90).textured("y")
    halo = solids.disc(0.34, 14).turned("x", -90).textured("y")
    pieces = METAL.on(*_pair(lamp.moved(x=0.58, y=1.68, z=0.56)))
    pieces += LAMP.on(*_pair(glass.moved(x=0.58, y=1.75, z=0.56)))
    pieces += HALO.on(*_pair(halo.moved(x=0.58, y=1.8, z=0.56)))
    pieces += HATCH.on(solids.cylinder(0.3, 0.08, 16, bevel=0.03).moved(x=0.6, y=-0.55, z=1.5))
    pieces += NUMBER.on(*_pair(solids.box(0.03, 0.32, 0.46).turned("y", -10).moved(x=1.63, y=0.53, z=0.86)))
    pieces += HAZARD.on(solids.box(1.2, 0.05, 0.16).turned("x", 22).moved(y=1.71, z=0.38))
    rail = [(1.2, 0.9, 1.2), (1.2, 0.9, 1.42), (1.15, 0.3, 1.46), (1.1, -0.3, 1.46), (1.1, -0.3, 1.24)]
    pieces += METAL.on(*_pair(solids.tube(rail, [0.035] * 5, 5)))
    pieces += METAL.on(*(solids.box(1.44, 0.05, 0.05).moved(y=-1.72, z=0.42 + 0.12 * i) for i in (0, 7)))
    return pieces


def _wounds(level: Level) -> list[Piece]:
    """The interior under missing armour: bent ribs and a torn edge."""
    ribs = [
        level.box(0.07, 0.7, 0.07, bevel=0.0).turned("x", -30).moved(x=x, y=1.2, z=1.2)
        for x in (-0.5, 0, 0.5)
    ]
    torn = level.slab((0.5, 0.5), 0.12, (0.3, 0.16), bevel=0.0).turned("y", -38).moved(x=-1.5, y=-0.2, z=1.2)
    return METAL.on(*ribs) + SCORCHED.on(torn)


def turret(level: Level) -> list[Piece]:
    """The turning top that carries guns and sensors."""
    shell = level.slab((1.7, 1.9), 0.78, (1.15, 1.25), bevel=0.12, shift=(0, -0.08)).moved(z=0.2)
    ring = level.rod(0.78, 0.24, 18).moved(z=0.1)
    pieces = JOINT.on(ring) + ARMOUR.on(shell) + METAL.on(level.axle(0.26, 2.2, 12).moved(z=0.52))
    if level.is_coarse:
        return pieces
    mask = level.slab((0.9, 0.36), 0.56, (0.7, 0.22), bevel=0.06).moved(y=0.92, z=0.26)
    pieces += (SCORCHED if level.is_damaged else METAL).on(mask)
    if not level.is_damaged:
        cheek = level.slab((0.24, 1.3), 0.56, (0.16, 0.9), bevel=0.06, shift=(-0.1, 0)).moved(x=0.84, z=0.2)
        bustle = level.slab((1.2, 0.56), 0.5, (1.0, 0.44), bevel=0.08).moved(y=-1.04, z=0.3)
        pieces += ARMOUR.on(*_pair(cheek), bustle)
    if level.is_fine:
        pieces += HATCH.on(solids.cylinder(0.27, 0.1, 16, bevel=0.03).moved(x=0.28, y=-0.14, z=1.0))
        pieces += METAL.on(
            *_pair(solids.cylinder(0.05, 0.22, 8).turned("x", -60).moved(x=0.62, y=0.66, z=0.9))
        )
        pieces += VENT.on(solids.box(0.62, 0.04, 0.24).moved(y=-1.33, z=0.54))
    return pieces


def gun(level: Level) -> list[Piece]:
    """The right gun's cradle, receiver and drum; it turns about the trunnion at its origin."""
    body = level.slab((0.56, 1.5), 0.62, (0.44, 1.3), bevel=0.07).moved(x=0.3, y=0.2, z=-0.3)
    pieces = ARMOUR.on(body) + JOINT.on(level.axle(0.34, 0.3, 14).moved(x=-0.06))
    if level.is_coarse:
        return pieces
    pieces += METAL.on(level.axle(0.36, 0.34, 12, bevel=0.05).moved(x=0.34, y=-0.34, z=-0.38))
    pieces += METAL.on(level.slab((0.4, 0.3), 0.4, (0.34, 0.26), bevel=0.04).moved(x=0.3, y=1.0, z=-0.2))
    if not level.is_damaged:
        pieces += ARMOUR.on(
            level.slab((0.1, 1.24), 0.5, (0.1, 1.0), bevel=0.04).moved(x=0.62, y=0.26, z=-0.24)
        )
    if level.is_fine:
        belt = [(0.3, -0.4, -0.06), (0.12, -0.56, 0.2), (-0.1, -0.4, 0.36), (-0.22, -0.1, 0.34)]
        pieces += JOINT.on(solids.tube(belt, [0.09] * 4, 6))
        if not level.is_damaged:
            pieces += NUMBER.on(solids.box(0.03, 0.31, 0.45).moved(x=0.665, y=0.14, z=0.0))
        pieces += METAL.on(solids.box(0.1, 0.7, 0.08).moved(x=0.3, y=0.3, z=0.36))
    return pieces


def barrels(level: Level) -> list[Piece]:
    """Two barrels that recoil along Y, with their muzzle brakes."""
    pieces: list[Piece] = []
    for z in (-0.13, 0.13):
        sides = level.sides(8)
        tube = solids.pipe(0.095, 0.055, 1.7, sides).turned("x", -90).moved(y=0.85, z=z)
        pieces += METAL.on(tube)
        if not level.is_fine:
            continue
        brake = solids.pipe(0.14, 0.06, 0.34, sides).turned("x", -90).moved(y=1.68, z=z)
        sleeve = solids.cylinder(0.13, 0.5, sides, bevel=0.02).turned("x", -90).moved(y=0.4, z=z)
        pieces += JOINT.on(brake, sleeve)
    if level.is_fine:
        pieces += METAL.on(*(solids.box(0.2, 0.08, 0.46).moved(y=y) for y in (0.72, 1.2)))
    return pieces


def broken_barrels(level: Level) -> list[Piece]:
    """The right gun's barrels, one of them destroyed."""
    if not level.is_damaged:
        return barrels(level)
    sides = level.sides(9)
    whole = solids.pipe(0.095, 0.055, 1.7, sides).turned("x", -90).moved(y=0.85, z=0.13)
    stump = solids.pipe(0.095, 0.055, 0.6, sides).turned("x", -82).moved(y=0.3, z=-0.13)
    return METAL.on(whole) + SCORCHED.on(stump)


def eye(level: Level) -> list[Piece]:
    """The sensor ball with its lenses."""
    pieces = METAL.on(solids.ball(0.27, level.sides(10)))
    lens = solids.cylinder(0.15, 0.16, level.sides(11)).turned("x", -90).moved(y=0.24)
    pieces += JOINT.on(lens)
    if level.is_coarse:
        return pieces
    glass = solids.cylinder(0.11, 0.05, level.sides(11)).turned("x", -90).textured("y")
    pieces += LAMP.on(glass.moved(y=0.325))
    if level.is_fine:
        pieces += HALO.on(solids.disc(0.3, 14).turned("x", -90).textured("y").moved(y=0.36))
        small = solids.cylinder(0.06, 0.12, 10).turned("x", -90)
        pieces += JOINT.on(small.moved(x=0.15, y=0.22, z=0.13), small.moved(x=-0.15, y=0.22, z=0.13))
    return pieces


def dish(level: Level) -> list[Piece]:
    """The radar: a mast and a hollow bowl, facing +Y."""
    sides = level.sides(12)
    outside = [(0.05, 0.0), (0.26, 0.05), (0.42, 0.16), (0.42, 0.19)]
    inside = [(0.24, 0.09), (0.04, 0.05)]
    bowl = solids.turned_profile(outside + inside, sides).turned("x", -90).moved(y=0.02, z=0.5)
    pieces = METAL.on(level.rod(0.07, 0.4, 8).moved(z=0.2)) + ARMOUR.on(bowl)
    if level.is_fine:
        pieces += METAL.on(solids.cylinder(0.03, 0.3, 6).turned("x", -90).moved(y=0.2, z=0.5))
        pieces += METAL.on(solids.box(0.14, 0.18, 0.18, bevel=0.03).moved(y=-0.08, z=0.48))
    return pieces


def antenna(level: Level) -> list[Piece]:
    """The aerial's foot and stiff lower half."""
    if level.is_coarse:
        return []
    mast = solids.turned_profile([(0.035, 0.1), (0.022, 0.75)], level.sides(7))
    return JOINT.on(level.rod(0.08, 0.22, 8).moved(z=0.08)) + METAL.on(mast)


def antenna_tip(level: Level) -> list[Piece]:
    """The aerial's whip, absent if damaged."""
    if level.is_coarse or level.is_damaged:
        return []
    whip = solids.turned_profile([(0.02, 0.0), (0.008, 0.7)], level.sides(7))
    return METAL.on(whip) + LAMP.on(solids.ball(0.035, level.sides(8)).textured("y", 0.2).moved(z=0.72))


def flap(level: Level) -> list[Piece]:
    """The lid of an exhaust stack, hinged at the back; the glow below it is fixed to the hull."""
    if level.is_coarse:
        return []
    lid = solids.cylinder(0.23, 0.05, level.sides(11)).moved(y=0.22)
    return METAL.on(lid) + JOINT.on(level.axle(0.05, 0.3, 8))


def embers(level: Level) -> list[Piece]:
    """The glow inside an exhaust stack."""
    if level.is_coarse:
        return []
    return GLOW.on(solids.disc(0.14, level.sides(12)))
