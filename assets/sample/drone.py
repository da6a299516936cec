"""A scout drone of 5 units: a slim hull between four ducted rotors, hovering, looking around. It faces +Y."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from assets.sample.motion import Track, Transform, sampled, still, through, transform
from assets.sample.shapes import solids
from assets.sample.shapes.finish import SEE_THROUGH, TWO_SIDED, Finish, Piece, across, around, fitted
from assets.sample.shapes.solids import Solid
from assets.sample.spec import Cell, Level, ModelSpec, Node, Shape
from assets.sample.surfaces.trims import rect

FRAMES = 96
ALTITUDE = 3.0

WHOLE = fitted((0.0, 0.0, 1.0, 1.0))

HULL = Finish("DRONE_HULL", across(0.5, (0.1, 0.2)), 32)
DUCT = Finish("DRONE_HULL", around(4.0, 0.5), 32)
DARK = Finish("DRONE_DARK", across(0.5), 45)
GLASS = Finish("GLASS", across(0.4), 60, SEE_THROUGH)
LAMP = Finish("LAMP", WHOLE, 50)
BEACON = Finish("BEACON", WHOLE, 50)
GLOW = Finish("ENGINE_GLOW", WHOLE, flags=SEE_THROUGH)
FLAME = Finish("FLAME", WHOLE, flags=SEE_THROUGH | TWO_SIDED)
HALO = Finish("HALO", WHOLE, flags=SEE_THROUGH)
BLUR = Finish("ROTOR_BLUR", WHOLE, flags=SEE_THROUGH | TWO_SIDED)
VENT = Finish("TRIM", fitted(rect("grille"), rect("vent")))
HAZARD = Finish("TRIM", fitted(rect("hazard")))

WEAR = (
    "DRONE_HULL",
    "DRONE_DARK",
    "GLASS",
    "LAMP",
    "BEACON",
    "ENGINE_GLOW",
    "ROTOR_BLUR",
    "TRIM",
    "FLAME",
    "HALO",
)

ROTORS = {
    "fl": (-1.75, 1.15, 0.18),
    "fr": (1.75, 1.15, 0.18),
    "bl": (-1.55, -1.35, 0.34),
    "br": (1.55, -1.35, 0.34),
}
"""Hubs in the hull's space; l is the drone's left, -X."""

RADIUS = 0.82


def drone(stem: str = "drone") -> ModelSpec:
    """The model, in three levels of detail."""
    nodes = [
        Node("root"),
        Node("hull", "root", sampled(_hover, range(0, FRAMES + 1, 4)), _cells(_hull)),
        Node("eye", "hull", sampled(_look, range(0, FRAMES + 1, 4)), _cells(_eye)),
        Node("gun", "hull", sampled(_aim, range(0, FRAMES + 1, 4)), _cells(_gun)),
        Node("rudder", "hull", sampled(_steer, range(0, FRAMES + 1, 8)), _cells(_rudder)),
    ]
    for name, hub in ROTORS.items():
        nodes.append(
            Node(f"duct_{name}", "hull", sampled(_tilt(name, hub), range(0, FRAMES + 1, 4)), _cells(_duct))
        )
        nodes.append(Node(f"rotor_{name}", f"duct_{name}", _spin(name), _cells(_rotor)))
    nodes.append(Node("Base_cargo", "hull", still(0, -0.4, -0.5), takes="central_bc"))
    return ModelSpec(stem, nodes, WEAR)


def _cells(shape: Shape) -> dict[Cell, Sequence[Piece]]:
    return {(0, lod): shape(Level(lod)) for lod in range(3)}


def _turn(time: float, turns: int, lead: float = 0.0) -> float:
    return float(np.sin(2 * np.pi * (turns * time / FRAMES + lead)))


def _hover(time: float) -> Transform:
    x, y, z = -0.25 * _turn(time, 1), -0.2 * _turn(time, 1, 0.3), ALTITUDE + 0.22 * _turn(time, 2, 0.1)
    return transform(
        x,
        y,
        z,
        ("z", 5 * _turn(time, 1, 0.6)),
        ("y", -5 * _turn(time, 1, 0.25)),
        ("x", -3 - 3 * _turn(time, 1, 0.8)),
    )


def _look(time: float) -> Transform:
    yaw = through([(0, 20), (18, 20), (34, -50), (54, -50), (66, 10), (80, 60), (96, 20)])
    return transform(0, 1.75, -0.32, ("z", yaw(time)), ("x", -14 - 8 * _turn(time, 1)))


def _aim(time: float) -> Transform:
    yaw = through([(0, -8), (30, 28), (48, 28), (76, -30), (96, -8)])
    return transform(0, 0.5, -0.5, ("z", yaw(time)), ("x", -10 * _turn(time, 2)))


def _steer(time: float) -> Transform:
    return transform(0, -2.05, 0.42, ("z", 14 * _turn(time, 1, 0.35)))


def _tilt(name: str, hub: tuple[float, float, float]) -> Callable[[float], Transform]:
    lead = {"fl": 0.0, "fr": 0.1, "bl": 0.5, "br": 0.6}[name]
    return lambda time: transform(
        *hub, ("x", -6 - 7 * _turn(time, 1, lead)), ("y", -5 * _turn(time, 2, lead))
    )


def _spin(name: str) -> Track:
    """Six turns per loop; adjacent rotors turn in opposite directions."""
    way = 1 if name in {"fl", "br"} else -1
    return sampled(
        lambda time: transform(0, 0, 0.02, ("z", 30 + way * 360 * 6 * time / FRAMES)), range(0, FRAMES + 1, 4)
    )


def _hull(level: Level) -> list[Piece]:
    pieces = HULL.on(_fuselage(level)) + _arms(level)
    pieces += GLASS.on(_canopy(level)) + _cockpit(level)
    if level.is_coarse:
        return pieces
    tail = level.slab((0.3, 1.1), 0.34, (0.18, 0.9), bevel=0.06, shift=(0, -0.1)).moved(y=-1.6, z=0.28)
    pieces += HULL.on(tail) + DARK.on(
        level.slab((0.9, 1.5), 0.2, (1.1, 1.7), bevel=0.06).moved(y=-0.2, z=-0.56)
    )
    nozzle = solids.pipe(0.2, 0.15, 0.34, level.sides(12)).turned("x", -90)
    pieces += DARK.on(*(nozzle.moved(x=x, y=-2.0, z=-0.02) for x in (-0.26, 0.26)))
    for x in (-0.26, 0.26):
        fire = solids.disc(0.15, level.sides(12)).turned("x", 90).textured("y")
        pieces += GLOW.on(fire.moved(x=x, y=-2.06, z=-0.02))
        pieces += FLAME.on(*(plane.moved(x=x, y=-2.08, z=-0.02) for plane in _jet()))
    return pieces + (_details() if level.is_fine else [])


def _fuselage(level: Level) -> Solid:
    """Cross-sections along Y, from the nose to the tail: half width, lower and upper edge."""
    sections = [
        (2.3, 0.12, -0.16, -0.02), (2.0, 0.34, -0.32, 0.1), (1.2, 0.58, -0.5, 0.3),
        (0.2, 0.66, -0.56, 0.42), (-0.8, 0.62, -0.48, 0.46),
        (-1.5, 0.46, -0.28, 0.42), (-2.0, 0.38, -0.16, 0.3),
    ]  # fmt: skip
    chosen = sections[:: 2 if level.is_coarse else 1]
    rings = []
    for y, half, low, high in chosen:
        waist, shoulder = low + 0.45 * (high - low), low + 0.65 * (high - low)
        right = [(0.45, high), (0.9, shoulder), (1.0, waist), (0.55, low)]
        outline = right[::-1] + [(-part, z) for part, z in right]
        rings.append(np.array([(part * half, y, z) for part, z in outline]))
    return solids.loft(rings)


def _canopy(level: Level) -> Solid:
    bubble = solids.ball(0.5, level.sides(14), squash=0.55)
    return bubble.scaled(x=0.72, y=1.45).turned("x", -10).moved(y=1.1, z=0.22)


def _cockpit(level: Level) -> list[Piece]:
    """The interior behind the canopy: a dark well and a sensor."""
    well = solids.ball(0.48, level.sides(14), squash=0.3)
    pieces = DARK.on(well.scaled(x=0.72, y=1.45).turned("x", -10).moved(y=1.1, z=0.21))
    if level.is_fine:
        pieces += HULL.on(solids.cylinder(0.13, 0.3, 10, bevel=0.04).moved(y=0.98, z=0.26))
        eye = solids.disc(0.07, 10).turned("x", -80).textured("y")
        pieces += LAMP.on(eye.moved(y=1.12, z=0.34))
    return pieces


def _jet() -> list[Solid]:
    """Two crossed planes for the flame texture, from the nozzle at the origin along -Y."""
    width, length = 0.21, 1.25
    corners = [(width, 0.0, 0.0), (-width, 0.0, 0.0), (-width, -length, 0.0), (width, -length, 0.0)]
    plane = solids.sheet(corners, ((0.02, 0.02), (0.98, 0.02), (0.98, 0.97), (0.02, 0.97)))
    return [plane.turned("y", 30), plane.turned("y", 120)]


def _arms(level: Level) -> list[Piece]:
    pieces = []
    for x, y, z in ROTORS.values():
        reach = abs(x) - RADIUS - 0.3
        arm = level.slab((reach, 0.42), 0.16, (reach, 0.3), bevel=0.05).moved(z=-0.08)
        middle = (0.3 + reach / 2 + 0.1) * (1 if x > 0 else -1)
        pieces += HULL.on(arm.moved(x=middle, y=y, z=z))
    return pieces


def _details() -> list[Piece]:
    vent = solids.box(0.14, 0.46, 0.16).moved(x=0.55, y=-0.82, z=-0.04)
    antenna = solids.turned_profile([(0.02, 0.0), (0.006, 0.8)], 5).turned("x", 24).moved(y=-0.9, z=0.44)
    stripe = solids.box(0.54, 0.14, 0.03).moved(y=-0.1, z=0.43)
    lamp, halo = solids.ball(0.075, 10).textured("y"), solids.disc(0.2, 12).turned("x", -90).textured("y")
    beacon = solids.ball(0.07, 10).textured("z", 0.15)
    skid = [(0.5, 0.9, -0.8), (0.5, 0.7, -0.86), (0.5, -0.8, -0.86), (0.5, -1.0, -0.8)]
    struts = [solids.tube([(0.4, y, -0.4), (0.5, y, -0.86)], [0.035, 0.035], 5) for y in (0.4, -0.6)]
    gear = [solids.tube(skid, [0.045] * 4, 6), *struts]
    pieces = VENT.on(vent, vent.mirrored()) + DARK.on(antenna, *gear, *(part.mirrored() for part in gear))
    pieces += HAZARD.on(stripe) + BEACON.on(beacon.moved(y=-1.62, z=0.64))
    for x in (-0.3, 0.3):
        pieces += LAMP.on(lamp.moved(x=x, y=1.92, z=0.06)) + HALO.on(halo.moved(x=x, y=2.0, z=0.06))
    return pieces


def _duct(level: Level) -> list[Piece]:
    """A ring around the rotor with a hub and struts."""
    sides = level.sides(20)
    profile = [
        (RADIUS, -0.16),
        (RADIUS + 0.1, -0.14),
        (RADIUS + 0.13, 0.06),
        (RADIUS + 0.06, 0.16),
        (RADIUS, 0.13),
    ]
    rings = [solids.ring(solids.circle(radius, sides), z) for radius, z in [*profile, profile[0]]]
    pieces = DUCT.on(solids.loft(rings, cap_first=False, cap_last=False))
    hub = solids.turned_profile([(0.06, -0.2), (0.15, -0.12), (0.16, 0.0), (0.0, 0.1)], level.sides(10))
    pieces += DARK.on(hub.moved(z=-0.06))
    if not level.is_coarse:
        strut = solids.box(RADIUS * 2, 0.06, 0.1).moved(z=-0.12)
        pieces += DARK.on(strut, strut.turned("z", -90))
    return pieces


def _rotor(level: Level) -> list[Piece]:
    """Four blades and their motion blur; at the coarse level only the blur."""
    disc = BLUR.on(solids.disc(RADIUS - 0.02, level.sides(20)).moved(z=0.06))
    if not level.is_fine:
        return disc
    blade = solids.box(0.6, 0.13, 0.02).turned("x", -14).moved(x=0.44, z=0.04)
    return DARK.on(*(blade.turned("z", 90 * index) for index in range(4))) + disc


def _eye(level: Level) -> list[Piece]:
    pieces = DARK.on(solids.ball(0.24, level.sides(12)))
    lens = solids.cylinder(0.12, 0.1, level.sides(12)).turned("x", -90)
    pieces += DARK.on(lens.scaled(1.2, 1, 1.2).moved(y=0.2)) if level.is_fine else []
    return pieces + LAMP.on(lens.textured("y").moved(y=0.22))


def _gun(level: Level) -> list[Piece]:
    mount = level.rod(0.2, 0.18, 12)
    barrel = solids.pipe(0.05, 0.03, 0.9, level.sides(8)).turned("x", -90)
    pieces = DARK.on(mount, barrel.moved(x=0.09, y=0.55, z=-0.14), barrel.moved(x=-0.09, y=0.55, z=-0.14))
    return pieces + HULL.on(level.slab((0.4, 0.5), 0.22, (0.34, 0.44), bevel=0.08).moved(y=0.05, z=-0.27))


def _rudder(level: Level) -> list[Piece]:
    outline = [(-0.3, 0.66), (-0.62, 0.62), (-0.55, 0.0), (0.1, 0.0)]
    fin = solids.prism(outline, 0.07).moved(y=0.2)
    wing = solids.prism(outline, 0.06).scaled(z=0.9).turned("y", 78).moved(x=0.1, y=0.3, z=-0.1)
    return HULL.on(fin, wing, wing.mirrored())
