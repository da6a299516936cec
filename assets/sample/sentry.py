"""Parts of units, facing +Y: a light turret for the sockets of walker and tower, and its twin gun."""

from __future__ import annotations

from collections.abc import Sequence

from assets.sample.motion import Transform, ease, sampled, still, transform
from assets.sample.shapes import solids
from assets.sample.shapes.finish import Finish, Piece, across
from assets.sample.spec import OWN_VIEW, Cell, Level, ModelSpec, Node, Shape
from assets.sample.walker.skins import GLASS, HALO, HATCH, HAZARD, LAMP
from viewer.formats.msh.nodes import FLAG_COCKPIT

ARMOUR = Finish("WALKER_ARMOUR", across(0.7, (0.13, 0.37)), 50)
METAL = Finish("WALKER_METAL", across(1.0), 50)
JOINT = Finish("WALKER_JOINT", across(1.0, (0.5, 0.25)), 50)
SCORCHED = Finish("SCORCHED", across(0.7), 50)
"""Scorched paint as on the walker, with more of the texture on parts that are smaller."""

TURRET_WEAR = (
    "WALKER_ARMOUR",
    "WALKER_METAL",
    "WALKER_JOINT",
    "TRIM",
    "LAMP",
    "GLASS",
    "SCORCHED",
    "HALO",
)
GUN_WEAR = ("WALKER_METAL", "WALKER_JOINT")

TURN = (0, 4)
"""Frames of one turn of the turret."""
ELEVATION = (1, 5)
"""Frames of the gun from its lowest elevation to its highest."""
LOWEST, HIGHEST = -12.0, 48.0
FIRE = (5, 13)
"""Frames of one shot."""
RECOIL = 0.2
MUZZLE = (0.0, 1.3, 0.0)
"""End of the barrels, in their own space."""


def sentry_turret() -> ModelSpec:
    """The turret: a ring that stays, a body that turns, a socket for a gun, a gunner's place."""
    nodes = [
        Node("root"),
        Node("ring", "root", still(), _cells(_ring)),
        Node("turret", "root", sampled(_turn, range(TURN[0], TURN[1] + 1)), _cells(_body, breaks=True)),
        Node("Base_G1", "turret", still(0.0, 0.16, 0.42), takes="e_gun_tw"),
        Node("CP_turret", "turret", still(0, -0.02, 0.62), {(0, OWN_VIEW): _cockpit()}, FLAG_COCKPIT),
    ]
    return ModelSpec("e_tur_bt_01", nodes, TURRET_WEAR)


def twin_gun() -> ModelSpec:
    """The gun: a mount that is elevated, and barrels that recoil."""
    nodes = [
        Node("root"),
        Node("mount", "root", sampled(_elevation, (0, *ELEVATION, FIRE[1])), _cells(_mount)),
        Node(
            "barrels",
            "mount",
            sampled(_recoil, (0, *range(FIRE[0], FIRE[0] + 6), FIRE[1])),
            _cells(_barrels, breaks=True),
        ),
    ]
    return ModelSpec("e_gun_tw_01", nodes, GUN_WEAR)


def _cells(shape: Shape, *, breaks: bool = False) -> dict[Cell, Sequence[Piece]]:
    """Three levels of detail, and a second state of damage of what breaks."""
    cells: dict[Cell, Sequence[Piece]] = {(0, lod): shape(Level(lod)) for lod in range(3)}
    return cells | ({(1, lod): shape(Level(lod, is_damaged=True)) for lod in range(2)} if breaks else {})


def _turn(frame: int) -> Transform:
    return transform(0, 0, 0.12, ("z", 90.0 * frame))


def _elevation(frame: int) -> Transform:
    return transform(0, 0, 0, ("x", dict(zip(ELEVATION, (LOWEST, HIGHEST), strict=True)).get(frame, 0.0)))


def _recoil(frame: int) -> Transform:
    """Back at once, then slowly forward."""
    since = frame - FIRE[0]
    return transform(0, 0.3 - (RECOIL * (1 - ease((since - 1) / 5)) if 0 < since < 6 else 0.0), 0)


def _ring(level: Level) -> list[Piece]:
    pieces = JOINT.on(level.rod(0.44, 0.14, 18).moved(z=0.06))
    return pieces + (HAZARD.on(solids.box(0.5, 0.03, 0.08).moved(y=0.45, z=0.06)) if level.is_fine else [])


def _body(level: Level) -> list[Piece]:
    """Two cheeks with the gun between them, in front of a box with an eye."""
    box = level.slab((0.62, 0.52), 0.52, (0.5, 0.4), bevel=0.1).moved(y=-0.2)
    cheek = level.slab((0.14, 0.66), 0.56, (0.12, 0.4), bevel=0.06, shift=(0, -0.06)).moved(x=0.34, y=0.12)
    whole = ARMOUR.on(box, cheek.mirrored())
    pieces = METAL.on(level.rod(0.4, 0.08, 18).moved(z=0.02))
    pieces += whole + (SCORCHED if level.is_damaged else ARMOUR).on(cheek)
    if level.is_coarse:
        return pieces
    eye = solids.cylinder(0.09, 0.2, level.sides(10)).turned("x", -90).moved(x=-0.2, y=-0.02, z=0.6)
    pieces += METAL.on(level.slab((0.26, 0.26), 0.12, bevel=0.04).moved(x=-0.2, y=-0.12, z=0.5)) + JOINT.on(
        eye
    )
    if not level.is_fine:
        return pieces
    lens = solids.disc(0.07, 10).turned("x", -90).textured("y").moved(x=-0.2, y=0.085, z=0.6)
    pieces += LAMP.on(lens) + HALO.on(
        solids.disc(0.16, 12).turned("x", -90).textured("y").moved(x=-0.2, y=0.1, z=0.6)
    )
    if not level.is_damaged:
        pieces += HATCH.on(solids.cylinder(0.13, 0.06, 12, bevel=0.02).moved(x=0.12, y=-0.2, z=0.54))
    return pieces + METAL.on(
        solids.turned_profile([(0.015, 0.0), (0.005, 0.5)], 5).moved(x=0.2, y=-0.38, z=0.5)
    )


def _cockpit() -> list[Piece]:
    """Gunner's view of the turret: the rim of the hatch, and a frame with a sight."""
    post = solids.slab((0.03, 0.03), 0.44, (0.03, 0.03), chamfer=0.01, shift=(0.08, 0))
    post = post.moved(x=-0.27, y=0.8, z=-0.22)
    pieces = JOINT.on(post, post.mirrored(), solids.box(0.44, 0.03, 0.03).moved(y=0.8, z=0.22))
    rail = solids.slab((0.12, 1.1), 0.1, (0.06, 1.04), chamfer=0.03).moved(x=-0.3, y=0.25, z=-0.3)
    pieces += ARMOUR.on(rail, rail.mirrored())
    pieces += METAL.on(solids.slab((0.7, 0.16), 0.12, (0.6, 0.06), chamfer=0.03).moved(y=0.8, z=-0.32))
    pieces += METAL.on(solids.cylinder(0.012, 0.2, 6).moved(y=0.62, z=-0.18))
    pieces += JOINT.on(solids.pipe(0.05, 0.04, 0.03, 14).turned("x", -90).moved(y=0.62, z=-0.04))
    return pieces + GLASS.on(solids.disc(0.04, 14).turned("x", 90).moved(y=0.62, z=-0.04))


def _mount(level: Level) -> list[Piece]:
    pieces = METAL.on(level.slab((0.36, 0.5), 0.26, (0.3, 0.42), bevel=0.04).moved(y=0.04, z=-0.13))
    pieces += JOINT.on(level.axle(0.12, 0.52, 12))
    if level.is_fine:
        drum = solids.cylinder(0.13, 0.2, 12, bevel=0.02).turned("y", 90).moved(x=0.22, y=-0.06, z=-0.04)
        pieces += JOINT.on(drum)
    return pieces


def _barrels(level: Level) -> list[Piece]:
    pieces: list[Piece] = []
    for x in (-0.09, 0.09):
        length = 0.45 if level.is_damaged and x > 0 else MUZZLE[1]
        sides = level.sides(8)
        tube = solids.pipe(0.05, 0.028, length, sides).turned("x", -90).moved(x=x, y=length / 2)
        pieces += METAL.on(tube)
        if level.is_fine:
            sleeve = solids.cylinder(0.075, 0.3, sides).turned("x", -90).moved(x=x, y=0.16)
            pieces += JOINT.on(sleeve)
    return pieces
