"""The walker's running gear: pelvis, hips, thighs, shins, feet, toes and their hydraulics.

The right leg is modelled; the left one is its mirror image. Every part hangs down from its joint.
"""

from __future__ import annotations

from assets.sample.shapes import solids
from assets.sample.shapes.finish import Piece
from assets.sample.spec import Level
from assets.sample.walker.skins import ARMOUR, HAZARD, JOINT, METAL, SCORCHED

THIGH = 1.95
SHIN = 2.05
ANKLE = 0.56
"""Height of the ankle over the ground while the foot is down."""

HIP_X = 0.92
LEG_X = 0.56
"""Distance from the hip's joint to the plane in which the leg moves."""

CYLINDER_TOP = (0.0, 0.44, -0.62)
"""Joint of the hydraulic cylinder, in thigh space."""

ROD_FOOT = (0.0, 0.40, -0.78)
"""Joint of its rod, in shin space."""

TOES = {"toe_in": (-0.27, 0.44, -0.36), "toe_out": (0.27, 0.44, -0.36), "heel": (0.0, -0.40, -0.36)}
"""Joints of the toes, in foot space."""


def pelvis(level: Level) -> list[Piece]:
    """The block between the hips with the bearing that carries the hull."""
    core = level.slab((1.25, 1.15), 0.8, (1.0, 0.95), bevel=0.12).moved(z=-0.42)
    pieces = METAL.on(core) + JOINT.on(level.axle(0.3, 2.05, 12), level.rod(0.5, 0.34, 14).moved(z=0.42))
    if level.is_coarse:
        return pieces
    guard = level.slab((0.95, 0.24), 0.62, (0.8, 0.12), bevel=0.05).turned("x", -12).moved(y=0.66, z=-0.42)
    pieces += (SCORCHED if level.is_damaged else ARMOUR).on(guard)
    if not level.is_damaged:
        pieces += ARMOUR.on(level.slab((0.9, 0.24), 0.7, (0.75, 0.12), bevel=0.05).moved(y=-0.62, z=-0.42))
    if level.is_fine:
        pieces += METAL.on(*(_hose(side) for side in (-1, 1)))
    return pieces


def _hose(side: int) -> solids.Solid:
    path = [
        (0.45 * side, -0.5, 0.3),
        (0.75 * side, -0.66, 0.16),
        (0.8 * side, -0.6, -0.14),
        (0.6 * side, -0.42, -0.3),
    ]
    return solids.tube(path, [0.07] * 4, 7)


def hip(level: Level) -> list[Piece]:
    """The joint that swings a leg outwards, with its round shield."""
    pieces = JOINT.on(level.axle(0.40, 0.46, 12).moved(x=0.12))
    if level.is_coarse:
        return pieces
    pieces += METAL.on(level.axle(0.47, 0.16, 12, bevel=0.05).moved(x=0.2))
    return pieces


def thigh(level: Level) -> list[Piece]:
    """The upper leg: an armoured beam from the hip to the backward knee."""
    beam = level.slab((0.5, 0.56), 1.75, (0.56, 0.74), bevel=0.08).moved(z=-1.86)
    pieces = METAL.on(beam) + JOINT.on(level.axle(0.46, 0.74, 12, bevel=0.05))
    if level.is_coarse:
        return pieces + ARMOUR.on(level.slab((0.8, 0.6), 1.2, (0.8, 0.9)).moved(y=-0.06, z=-1.3))
    plate = level.slab((0.2, 0.66), 1.34, (0.2, 0.96), bevel=0.07).moved(x=0.34, y=-0.04, z=-1.42)
    back = level.slab((0.62, 0.2), 1.05, (0.7, 0.26), bevel=0.07, shift=(0, -0.06)).moved(y=-0.40, z=-1.4)
    pieces += (SCORCHED if level.is_damaged else ARMOUR).on(plate)
    if not level.is_damaged:
        pieces += ARMOUR.on(back, plate.moved(x=-0.68))
    if level.is_fine:
        pieces += HAZARD.on(level.slab((0.08, 0.7), 0.16, bevel=0).moved(x=0.42, y=-0.04, z=-0.62))
        pieces += METAL.on(*(level.axle(0.09, 0.12, 8).moved(x=0.45, y=y, z=-1.2) for y in (0.16, -0.24)))
        pieces += JOINT.on(level.axle(0.12, 0.6, 10).moved(y=CYLINDER_TOP[1] - 0.06, z=CYLINDER_TOP[2]))
    return pieces


def shin(level: Level) -> list[Piece]:
    """The lower leg, from the knee to the ankle."""
    beam = level.slab((0.36, 0.36), 1.75, (0.46, 0.5), bevel=0.07).moved(z=-1.95)
    pieces = METAL.on(beam) + JOINT.on(level.axle(0.36, 0.86, 12, bevel=0.05))
    calf = level.slab((0.52, 0.5), 1.3, (0.72, 0.76), bevel=0.1, shift=(0, -0.05)).moved(y=-0.08, z=-1.62)
    pieces += (SCORCHED if level.is_damaged else ARMOUR).on(calf)
    if level.is_coarse:
        return pieces
    if not level.is_damaged:
        outline = [(-0.2, 0.46), (-0.44, 0.42), (-0.66, 0.16), (-0.62, -0.2), (-0.30, -0.5)]
        pieces += ARMOUR.on(solids.prism(outline, 0.52, bevel=0.06 if level.is_fine else 0.0))
    if level.is_fine:
        pieces += METAL.on(*(level.axle(0.17, 0.12, 12).moved(x=x) for x in (-0.47, 0.47)))
        pieces += METAL.on(
            solids.tube([(0.2, -0.4, -1.5), (0.3, -0.3, -1.75), (0.22, -0.1, -1.9)], [0.06] * 3, 6)
        )
        pieces += JOINT.on(level.axle(0.12, 0.56, 10).moved(y=ROD_FOOT[1] - 0.06, z=ROD_FOOT[2]))
        pieces += METAL.on(level.slab((0.6, 0.1), 0.1, bevel=0.02).moved(y=0.3, z=-0.84))
    return pieces


def foot(level: Level) -> list[Piece]:
    """The block that takes the weight; its origin is the ankle."""
    block = level.slab((0.86, 0.86), 0.34, (0.62, 0.6), bevel=0.08).moved(z=-0.46)
    pieces = METAL.on(block) + JOINT.on(level.axle(0.24, 0.7, 12))
    if level.is_coarse:
        return pieces
    pieces += ARMOUR.on(level.slab((0.66, 0.3), 0.3, (0.5, 0.2), bevel=0.05).moved(y=0.26, z=-0.26))
    pieces += METAL.on(*(level.box(0.12, 0.46, 0.44, bevel=0.03).moved(x=x, z=-0.12) for x in (-0.36, 0.36)))
    if level.is_fine:
        pieces += JOINT.on(level.box(0.74, 0.74, 0.1, bevel=0.02).moved(z=-0.505))
        pieces += METAL.on(*(level.axle(0.08, 0.08, 8).moved(x=x) for x in (-0.43, 0.43)))
    return pieces


def toe(level: Level) -> list[Piece]:
    """A toe that points forward from its joint; its sole lies flat on the ground while the foot is down."""
    sole = -(ANKLE + TOES["toe_in"][2])
    outline = [(0.92, sole), (0.86, -0.1), (0.3, 0.12), (0.0, 0.17), (-0.16, 0.06), (-0.1, sole)]
    wedge = solids.prism(outline, 0.4, bevel=0.04 if level.is_fine else 0.0)
    pieces = ARMOUR.on(wedge)
    if level.is_coarse:
        return pieces
    pieces += JOINT.on(level.axle(0.15, 0.48, 10))
    if level.is_fine:
        claw = [(1.1, sole + 0.01), (0.84, -0.02), (0.84, sole + 0.01)]
        pieces += METAL.on(solids.prism(claw, 0.2))
        pieces += METAL.on(level.slab((0.1, 0.34), 0.12, bevel=0.02).turned("x", -24).moved(y=0.4, z=0.05))
    return pieces


def heel(level: Level) -> list[Piece]:
    """The toe that points back."""
    return [Piece(piece.solid.turned("z", 180).scaled(y=0.8), piece.skin) for piece in toe(level)]


def cylinder(level: Level) -> list[Piece]:
    """The outer tube of the leg's hydraulics."""
    if level.is_coarse:
        return METAL.on(level.rod(0.11, 0.95, 12).moved(z=-0.5))
    pieces = METAL.on(level.rod(0.125, 0.72, 10).moved(z=-0.5), level.axle(0.15, 0.26, 10))
    return pieces + JOINT.on(level.rod(0.15, 0.12, 10).moved(z=-0.84))


def rod(level: Level) -> list[Piece]:
    """The bright rod that slides in the cylinder."""
    if level.is_coarse:
        return METAL.on(level.rod(0.065, 0.9, 12).moved(z=-0.45))
    return METAL.on(level.rod(0.065, 0.95, 10, bevel=0.0).moved(z=-0.5), level.axle(0.14, 0.24, 12))
