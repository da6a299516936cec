"""The inside of the tower: a hall behind the gate, and the lift's well above it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assets.sample.shapes import solids
from assets.sample.shapes.finish import DOORWAY, OPEN, SIGN, Finish, Piece, fitted
from assets.sample.shapes.solids import Solid
from assets.sample.surfaces.lightmap import Lamp
from assets.sample.tower.shapes import Doorway, Ring, annulus, broken_disc, disc, left_floor, rubble
from assets.sample.tower.skins import (
    BURNT,
    CONCRETE,
    EIGHTH,
    FLOODLIGHT,
    PLATES,
    ROUND_CONCRETE,
    STEEL,
    TRIM_HAZARD,
    TRIM_VENT,
)

HALL, LIFT, BUNKER = "i02_hall", "i01_floors", "o01_bunker"
"""The nodes of both rooms, and of the outside in front of the gate."""

DOOR = Doorway(2.2, 0.6, 5.4)
WALL = Ring(8, (0.6, 11.4), (7.2, 9.7), EIGHTH)
WELL = 3.0
"""Radius of the opening in the hall's ceiling and in the floors above."""

CEILING = 7.2
_LIGHTS = tuple((x, y, CEILING - 0.12) for x in (-5.0, 5.0) for y in (-4.2, 4.2))

LAMPS = tuple(Lamp((x, y, z - 0.5), (0.95, 0.82, 0.58), 4.0) for x, y, z in _LIGHTS) + tuple(
    Lamp((1.9, 1.9, z), (0.55, 0.7, 0.9), 4.0) for z in (12.0, 19.0, 26.0)
)
"""The light in the hall, warm, and in the well, cold."""


def hall(row: int) -> list[Piece]:
    """The hall around the lift; only its floor is left in the ruin."""
    floor = PLATES.on(disc(WALL.low[1], 0.4, 8, EIGHTH).moved(z=WALL.low[0]))
    if row == 2:
        return floor + CONCRETE.on(*rubble(12, 8, 3.0, 9.0, 1.6))
    ceiling = annulus(WALL.high[1], WELL, 0.1, 8, EIGHTH).moved(z=CEILING)
    pieces = floor + ROUND_CONCRETE.on(*(wall.inside_out() for wall in WALL.with_doorway(DOOR)), ceiling)
    pieces += _passage() + _lights() + (_stores() if row == 0 else [])
    return pieces + (doorway(BUNKER, is_inside=True) + _opening(LIFT) if row == 0 else [])


def doorway(room: str, *, is_inside: bool = False) -> list[Piece]:
    """The portal in the gate that leads to a room, seen from outside or inside."""
    half, low, high = DOOR.half_width, DOOR.low, DOOR.high
    corners = [(half, 11.3, low), (-half, 11.3, low), (-half, 11.3, high), (half, 11.3, high)]
    return _portal(room, corners[::-1] if is_inside else corners)


def _opening(room: str) -> list[Piece]:
    """The portal in the ceiling, seen from below."""
    outline = solids.ring(solids.circle(WELL, 8, EIGHTH), CEILING)
    return _portal(room, [(float(x), float(y), float(z)) for x, y, z in outline[::-1]], OPEN)


def exit_sign(room: str) -> list[Piece]:
    """The green sign over the gate, a portal that the game draws."""
    half, low, high, front = 1.9, 6.95, 8.6, 12.75
    corners = [(half, front, low), (-half, front, low), (-half, front, high), (half, front, high)]
    post = solids.box(0.12, 0.12, 0.75).moved(y=front, z=6.6)
    posts = STEEL.on(post.moved(x=1.6), post.moved(x=-1.6))
    return posts + _portal(room, corners, SIGN, "PORTAL_001")


def _portal(
    room: str,
    corners: Sequence[tuple[float, float, float]],
    flags: int = DOORWAY,
    material: str = "DEFAULT",
) -> list[Piece]:
    finish = Finish(material, fitted((0.0, 0.0, 1.0, 1.0)), flags=flags, room=room)
    return finish.on(solids.mesh(np.array(corners), (tuple(range(len(corners))),)))


def _passage() -> list[Piece]:
    """The lining of the doorway through the thick wall."""
    height, middle = DOOR.high - DOOR.low, (DOOR.high + DOOR.low) / 2
    side = solids.box(0.3, 2.2, height + 0.3).moved(x=DOOR.half_width + 0.15, y=10.5, z=middle + 0.15)
    lintel = solids.box(2 * DOOR.half_width, 2.2, 0.3).moved(y=10.5, z=DOOR.high + 0.15)
    sill = solids.box(2 * DOOR.half_width, 2.6, 0.3).moved(y=10.9, z=DOOR.low - 0.14)
    return CONCRETE.on(side, side.mirrored(), lintel, sill)


def _lights() -> list[Piece]:
    case, glass = solids.box(2.0, 0.5, 0.16), solids.box(1.8, 0.36, 0.05).moved(z=-0.09)
    places = [{"x": x, "y": y, "z": z} for x, y, z in _LIGHTS]
    return STEEL.on(*(case.moved(**at) for at in places)) + FLOODLIGHT.on(
        *(glass.moved(**at) for at in places)
    )


def _stores() -> list[Piece]:
    """Crates and tanks along the walls."""
    crate = solids.slab((1.5, 1.5), 1.3, bevel=0.1).moved(z=WALL.low[0])
    tank = solids.cylinder(0.8, 2.6, 10, bevel=0.2).moved(z=1.9)
    crates = [crate.moved(x=7.2, y=-1.4), crate.turned("z", 18).moved(x=7.4, y=0.6)]
    crates.append(crate.turned("z", 40).moved(x=7.2, y=-0.6, z=1.3))
    rack = solids.box(2.6, 0.6, 2.2).moved(y=-8.9, z=1.7)
    pieces = PLATES.on(*crates) + STEEL.on(tank.moved(x=-7.4, y=1.0), tank.moved(x=-7.4, y=-1.0), rack)
    panel = solids.box(2.3, 0.06, 1.8).moved(y=-8.58, z=1.75)
    return pieces + TRIM_VENT.on(panel) + TRIM_HAZARD.on(solids.box(4.2, 0.5, 0.03).moved(y=8.6, z=0.62))


def floors(row: int) -> list[Piece]:
    """The lift's core with its door, and the storeys' floors around the well."""
    levels = [(8.0, 6.6), (15.0, 6.3), (22.2, 5.8)][: 3 - row]
    pieces = CONCRETE.on(solids.slab((2.4, 2.4), (29, 24, 14)[row] - 0.6).moved(z=0.6))
    pieces += TRIM_VENT.on(solids.box(1.7, 0.1, 2.6).moved(y=1.2, z=1.9))
    for z, radius in levels:
        pieces += CONCRETE.on(annulus(radius, WELL, 0.5, 8, EIGHTH).moved(z=z + 0.3))
        pieces += STEEL.on(_landing().moved(z=z + 0.25))
    if row == 2:
        pieces += BURNT.on(*(wedge.moved(z=15.3) for wedge in broken_disc(6.0, 0.5, left_floor, 12)))
    return pieces


def _landing() -> Solid:
    """A bridge from the lift to the floor of a storey."""
    return solids.box(1.6, 2.0, 0.12).moved(y=2.1)
