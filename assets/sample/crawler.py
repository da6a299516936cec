"""A tracked carrier of 5 units with a fan: its belts and wheels run with its speed, the fan turns by itself.

It faces +Y; its belts are materials of one image a link, so that a loop of the channel is one link of way.
"""

from __future__ import annotations

import numpy as np

from assets.sample.motion import Track, sampled, still, transform
from assets.sample.shapes import solids
from assets.sample.shapes.finish import Finish, Piece, across, around, fitted
from assets.sample.shapes.solids import Points, Solid
from assets.sample.spec import ModelSpec, Node
from assets.sample.surfaces.trims import rect

TURN = (0, 16)
"""Frames of one turn of the wheels and the fan."""
SIDES = {"l": -1.0, "r": 1.0}
WHEELS = (-1.2, 0.0, 1.2)
"""Positions of the wheels along Y."""
RADIUS = 0.42
TRACK = 1.25
"""Distance of a belt's middle from the middle of the machine."""
WIDTH = 0.5
LINKS = 30

HULL = Finish("WALKER_ARMOUR", across(0.35), 32)
DARK = Finish("WALKER_JOINT", across(0.5), 45)
DUCT = Finish("WALKER_METAL", around(3.0, 0.5), 32)
LAMP = Finish("LAMP", fitted((0.0, 0.0, 1.0, 1.0)), 50)
HAZARD = Finish("TRIM", fitted(rect("hazard")))
VENT = Finish("TRIM", fitted(rect("grille"), rect("vent")))
WEAR = ("WALKER_ARMOUR", "WALKER_METAL", "WALKER_JOINT", "TRIM", "LAMP", "BELT_L", "BELT_R")


def crawler() -> ModelSpec:
    """The model, in one level of detail."""
    nodes = [Node("Base_crawler", None, still(0, 0, 0.62), {(0, 0): _hull()})]
    for side, way in SIDES.items():
        belt = Finish(f"BELT_{side.upper()}", across(1.0), 30)
        nodes.append(Node(f"belt_{side}", "Base_crawler", still(way * TRACK), {(0, 0): _belt(belt)}))
        for number, y in enumerate(WHEELS):
            pieces = {(0, 0): _wheel()}
            nodes.append(Node(f"wheel_{side}{number}", "Base_crawler", _rolling(way * TRACK, y), pieces))
    nodes.append(Node("fan", "Base_crawler", _spinning(), {(0, 0): _fan()}))
    return ModelSpec("r_crawler", nodes, WEAR)


def link_length() -> float:
    """The length of a link of the belts, units: what the channel of a belt moves in one loop."""
    points = _loop()
    return float(np.linalg.norm(points - np.roll(points, -1, 0), axis=1).mean())


def _rolling(x: float, y: float) -> Track:
    """Keys of one turn of a wheel forward: its top goes along +Y."""
    return sampled(lambda time: transform(x, y, 0, ("x", -360 * time / TURN[1])), range(0, TURN[1] + 1, 4))


def _spinning() -> Track:
    return sampled(
        lambda time: transform(0, -0.75, 0.92, ("z", 360 * time / TURN[1])), range(0, TURN[1] + 1, 4)
    )


def _loop() -> Points:
    """The corners of a belt, (LINKS, 2): y and z, in the order of its way, the top forward."""
    reach, radius = WHEELS[-1], RADIUS + 0.06
    straight, bend = 2 * reach, np.pi * radius
    way = np.arange(LINKS) / LINKS * 2 * (straight + bend)
    points = []
    for at in way:
        half, rest = divmod(at, straight + bend)
        if rest < straight:
            y, z = rest - reach, radius
        else:
            angle = (rest - straight) / radius
            y, z = reach + radius * np.sin(angle), radius * np.cos(angle)
        points.append((y, z) if half < 1 else (-y, -z))
    return np.array(points)


def _belt(finish: Finish) -> list[Piece]:
    """The links, each with the whole image, and dark sides."""
    points, half = _loop(), WIDTH / 2
    pieces: list[Piece] = []
    for (y, z), (next_y, next_z) in zip(points, np.roll(points, -1, 0), strict=True):
        corners = [(-half, y, z), (half, y, z), (half, next_y, next_z), (-half, next_y, next_z)]
        pieces += finish.on(solids.sheet(corners, ((0.0, 1.0), (1.0, 1.0), (1.0, 0.0), (0.0, 0.0))))
    rim = [(float(y), float(z)) for y, z in points]
    for x in (-half, half):
        pieces += DARK.on(_side(rim, x))
    return pieces


def _side(rim: list[tuple[float, float]], x: float) -> Solid:
    """A flat side of a belt as a ring around the wheels."""
    inner = [(y * 0.93, z * 0.76) for y, z in rim]
    points = np.array([(x, *it) for it in (*rim, *inner)])
    count, faces = len(rim), list[tuple[int, ...]]()
    for index in range(count):
        after = (index + 1) % count
        face = (index, after, count + after, count + index)
        faces.append(face if x < 0 else face[::-1])
    return solids.mesh(points, faces)


def _wheel() -> list[Piece]:
    disc = solids.cylinder(RADIUS - 0.08, WIDTH * 0.7, 16, bevel=0.04).turned("y", 90)
    hub = solids.cylinder(0.14, WIDTH + 0.08, 10).turned("y", 90)
    bolts = [solids.box(WIDTH + 0.02, 0.08, 0.2).moved(z=0.21).turned("x", 72 * turn) for turn in range(5)]
    return DUCT.on(disc) + DARK.on(hub, *bolts)


def _hull() -> list[Piece]:
    body = solids.slab((1.9, 3.6), 0.7, (1.7, 3.0), chamfer=0.15).moved(z=-0.1)
    deck = solids.slab((3.0, 3.1), 0.14, (2.8, 2.8), chamfer=0.1).moved(z=0.52)
    cabin = solids.slab((1.6, 1.2), 0.7, (1.1, 0.7), chamfer=0.12, shift=(0, -0.1)).moved(y=0.75, z=0.64)
    slit = solids.box(0.9, 0.05, 0.14).turned("x", 20).moved(y=1.18, z=1.02)
    well = solids.pipe(0.78, 0.68, 0.34, 20).moved(y=-0.75, z=0.78)
    lamps = [
        solids.disc(0.12, 12).turned("x", -90).textured("y").moved(x=x, y=1.58, z=0.4) for x in (-0.6, 0.6)
    ]
    grille = solids.box(0.9, 0.06, 0.34).moved(y=-1.74, z=0.22)
    stripe = solids.box(2.4, 0.1, 0.05).moved(y=1.38, z=0.67)
    pieces = HULL.on(body, deck, cabin) + DUCT.on(well) + DARK.on(slit) + LAMP.on(*lamps)
    return pieces + VENT.on(grille) + HAZARD.on(stripe)


def _fan() -> list[Piece]:
    hub = solids.turned_profile([(0.16, -0.1), (0.16, 0.04), (0.0, 0.14)], 12)
    blade = solids.box(0.5, 0.2, 0.03).turned("x", -24).moved(x=0.4)
    return DARK.on(hub) + DUCT.on(*(blade.turned("z", 72 * turn) for turn in range(5)))
