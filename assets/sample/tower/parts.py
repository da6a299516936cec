"""The parts of the tower in each state of damage: 0 intact, 1 half collapsed, 2 a ruin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assets.sample.shapes import solids
from assets.sample.shapes.finish import Piece
from assets.sample.shapes.solids import Solid
from assets.sample.tower.inside import DOOR, HALL, WELL, doorway, exit_sign
from assets.sample.tower.shapes import Ring, annulus, bars, broken_disc, disc, left_floor, rubble, torn_edge
from assets.sample.tower.skins import (
    BEACON,
    BURNT,
    CLADDING,
    CONCRETE,
    EIGHTH,
    EMBLEM,
    FLOODLIGHT,
    HALO,
    PLATES,
    ROUND_CONCRETE,
    SIGN,
    STEEL,
    TRIM_HAZARD,
    TRIM_VENT,
    WINDOWS,
)

BUNKER = (Ring(8, (0.0, 13.0), (2.0, 12.6), EIGHTH), Ring(8, (2.0, 12.2), (7.4, 10.6), EIGHTH))
LEDGE = Ring(8, (2.0, 12.6), (2.02, 12.2), EIGHTH)
SHAFT = (
    Ring(8, (8.0, 7.4), (15.0, 6.8), EIGHTH),
    Ring(8, (15.0, 6.8), (22.0, 6.2), EIGHTH),
    Ring(8, (22.0, 6.2), (29.0, 5.6), EIGHTH),
)
BANDS = ((14.6, 6.85), (21.6, 6.25))
"""Height and radius of the beams between the storeys of the shaft."""

FLARE = Ring(8, (29.0, 5.8), (32.0, 9.0), EIGHTH)
PANES = Ring(8, (32.8, 8.7), (35.6, 9.3), EIGHTH)
CROWN = Ring(8, (35.6, 9.7), (37.4, 9.1), EIGHTH)

FLOODLIGHTS = tuple(
    (9.3 * float(np.cos(np.radians(turn))), 9.3 * float(np.sin(np.radians(turn))), 8.35)
    for turn in (0, 180, 68, 112)
)
"""Lamps on the bunker's roof that light the shaft."""

SHAFT_EDGE = {1: torn_edge(7, 33.0, 5.0, 1.2, 160), 2: torn_edge(11, 16.5, 5.5, 1.6, 110)}
"""Edge of the torn shaft, by row."""


def bunker(row: int) -> list[Piece]:
    """The octagonal base with buttresses and gate."""
    foot, wall = BUNKER
    pieces = ROUND_CONCRETE.on(*foot.with_doorway(DOOR), *LEDGE.with_doorway(DOOR)) + _gate_frame()
    if row == 2:
        return pieces + _torn_bunker() + _buttresses((1, 2, 3))
    pieces += ROUND_CONCRETE.on(*wall.with_doorway(DOOR), annulus(10.9, WELL, 0.8, 8, EIGHTH).moved(z=8.0))
    pieces += doorway(HALL) + exit_sign(HALL)
    pieces += _buttresses((0, 1, 2, 3)) + _roof_clutter(row)
    if row == 1:
        on_roof = [block.moved(z=7.9) for block in rubble(6, 8, 8.2, 9.8, 1.6)]
        pieces += CONCRETE.on(*on_roof, *rubble(8, 16, 13.5, 18.0, 2.2))
    return pieces


def _torn_bunker() -> list[Piece]:
    """The remains of wall and roof, and debris from above."""
    _, wall = BUNKER
    edge = torn_edge(5, 7.5, 1.9, 0.6, 110)
    pieces = ROUND_CONCRETE.on(*(w.moved(z=8.0) for w in broken_disc(10.7, 0.8, _left_roof, 16)))
    pieces += ROUND_CONCRETE.on(*wall.torn(edge, thickness=1.1, columns=2))
    pieces += CONCRETE.on(*rubble(3, 26, 5.0, 11.5, 3.4), *rubble(4, 22, 12.5, 17.0, 2.4))
    return pieces + STEEL.on(*bars(21, edge, wall, 9))


def coarse_bunker(_row: int) -> list[Piece]:
    """The base at the coarse level."""
    foot, wall = BUNKER
    shell = ROUND_CONCRETE.on(foot.whole(), wall.whole(), disc(10.9, 0.8, 8, EIGHTH).moved(z=8.0))
    return shell + _buttresses((0, 1, 2, 3))


def _buttresses(which: Sequence[int]) -> list[Piece]:
    rib = solids.slab((1.8, 3.6), 7.8, (1.4, 1.2), chamfer=0.16, shift=(0, -1.0)).moved(y=12.4)
    return CONCRETE.on(*(rib.turned("z", 45 + 90 * index) for index in which))


def _gate_frame() -> list[Piece]:
    jamb = solids.slab((0.9, 2.0), 5.6, (0.8, 1.4), chamfer=0.1).moved(x=2.6, y=12.0)
    lintel = solids.slab((6.6, 2.2), 0.9, (6.2, 1.6), chamfer=0.1).moved(y=11.9, z=5.4)
    stripe = solids.box(5.8, 0.12, 0.5).moved(y=13.02, z=5.8)
    ramp = solids.loft([np.array(o) for o in _ramp()])
    lamp = solids.ball(0.32, 10, squash=0.7).textured("z").moved(y=13.02, z=6.45)
    halo = solids.disc(1.1, 12).turned("x", -90).textured("y").moved(y=13.4, z=6.45)
    pieces = CONCRETE.on(jamb, jamb.mirrored(), lintel, ramp) + TRIM_HAZARD.on(stripe)
    return pieces + FLOODLIGHT.on(lamp) + HALO.on(halo)


def _ramp() -> list[list[tuple[float, float, float]]]:
    return [
        [(x, 17.0, 0.0), (x, 13.4, 0.5), (x, 11.4, 0.5), (x, 11.4, -0.2), (x, 17.0, -0.2)]
        for x in (-2.6, 2.6)
    ]


def _roof_clutter(row: int) -> list[Piece]:
    crate = solids.slab((1.6, 1.6), 1.4, bevel=0.12).moved(z=8.0)
    tank = solids.cylinder(0.9, 2.4, 12, bevel=0.2).moved(z=9.2)
    pieces = PLATES.on(crate.moved(x=8.6, y=-1.2), crate.turned("z", -24).moved(x=8.4, y=1.2))
    pieces += STEEL.on(tank.moved(x=-8.7, y=-1.4), tank.moved(x=-8.7, y=0.8))
    pieces += TRIM_VENT.on(solids.box(2.2, 1.8, 1.0).moved(y=-9.0, z=8.5))
    if row == 0:
        pieces += [piece for position in FLOODLIGHTS for piece in _floodlight(position)]
        post = solids.cylinder(0.09, 1.1, 6).moved(z=8.5)
        corners = solids.circle(10.5, 8, EIGHTH)
        pieces += STEEL.on(*(post.moved(x=float(x), y=float(y)) for x, y in corners))
        rails = [solids.ring(solids.circle(r, 8, EIGHTH), z) for r, z in ((10.45, 8.95), (10.55, 9.05))]
        pieces += STEEL.on(solids.loft(rails, cap_first=False, cap_last=False))
    return pieces


def _floodlight(position: tuple[float, float, float]) -> list[Piece]:
    """A box on the roof with its lens towards the shaft."""
    turn = float(np.degrees(np.arctan2(position[1], position[0]))) + 90
    body = solids.slab((1.1, 0.7), 0.6, (1.0, 0.4), shift=(0.0, -0.15)).moved(z=-0.35)
    glass, halo = solids.disc(0.26, 12), solids.disc(0.9, 12)
    pieces = STEEL.on(body) + FLOODLIGHT.on(glass.textured("z").turned("x", -60).moved(y=0.28, z=0.0))
    pieces += HALO.on(halo.textured("z").turned("x", -60).moved(y=0.34, z=0.06))
    return [Piece(piece.solid.turned("z", turn).moved(*position), piece.skin) for piece in pieces]


def shaft(row: int) -> list[Piece]:
    """Three clad storeys with beams between them, a lift rail and pipes."""
    if row == 0:
        pieces = CLADDING.on(*(ring.whole() for ring in SHAFT))
        return pieces + _beams() + _fins((0, 1, 2, 3), 29.0) + _pipes(29.0) + _emblems()
    edge = SHAFT_EDGE[row]
    pieces = []
    for number, ring in enumerate(SHAFT):
        lowest = min(edge(15 * step) for step in range(24))
        if lowest > ring.high[0]:
            pieces += CLADDING.on(ring.whole())
        elif max(edge(15 * step) for step in range(24)) > ring.low[0]:
            pieces += CLADDING.on(*ring.torn(edge, columns=3))
            pieces += STEEL.on(*bars(30 + number, edge, ring, 12))
    beams = _beams()[: 2 if row == 1 else 0]
    return (
        pieces + beams + _fins((0, 1) if row == 2 else (0, 1, 2), 12.0 if row == 2 else 24.0) + _pipes(11.0)
    )


def _emblems() -> list[Piece]:
    """The sign of the clan on three sides of the shaft."""
    plate = solids.slab((3.9, 0.24), 3.9, bevel=0.06).moved(z=-1.95)
    face = solids.box(3.6, 0.05, 3.6).moved(y=0.14).without(0, 1, 3, 4, 5)
    pieces = STEEL.on(plate) + EMBLEM.on(face)
    leaning = [Piece(it.solid.turned("x", 5).moved(y=6.75, z=11.7), it.skin) for it in pieces]
    return [Piece(it.solid.turned("z", turn), it.skin) for turn in (0, 90, -90) for it in leaning]


def coarse_shaft(_row: int) -> list[Piece]:
    """The storeys at the coarse level."""
    return CLADDING.on(*(ring.whole() for ring in SHAFT)) + _beams()


def _beams() -> list[Piece]:
    beams = []
    for z, radius in BANDS:
        profile = [(radius, z), (radius + 0.25, z + 0.2), (radius + 0.25, z + 0.6), (radius, z + 0.8)]
        beams.append(solids.turned_profile(profile, 8, turn=EIGHTH))
    return CONCRETE.on(*beams)


def _fins(which: Sequence[int], top: float) -> list[Piece]:
    lean = -1.3 * (top - 8) / 21
    fin = solids.slab((0.9, 1.8), top - 8.0, (0.7, 1.2), chamfer=0.12, shift=(0, lean)).moved(y=7.4, z=8.0)
    return CONCRETE.on(*(fin.turned("z", 45 + 90 * index) for index in which))


def _pipes(top: float) -> list[Piece]:
    pipes = []
    for x in (-0.7, 0.0, 0.7):
        path = [
            (x, -9.4, 8.0),
            (x, -7.5, 9.2),
            (x, -7.1, min(12.0, top - 0.6)),
            (x, -6.4 if top > 20 else -7.0, top),
        ]
        pipes.append(solids.tube(path, [0.26] * 4, 6))
    levels = [11.0 + 4.5 * step for step in range(int((top - 11) / 4.5) + 1)]
    clamps = [solids.box(2.2, 0.5, 0.3).moved(y=0.085 * (z - 9) - 7.5, z=z) for z in levels]
    return STEEL.on(*pipes, *clamps)


def deck(row: int) -> list[Piece]:
    """The control deck: a flare, a band of windows, a roof with masts."""
    if row == 2:
        return CONCRETE.on(*rubble(15, 14, 9.0, 15.0, 3.0)) + PLATES.on(*_fallen())
    if row == 1:
        return _torn_deck()
    pieces = ROUND_CONCRETE.on(FLARE.whole(), disc(9.2, 0.8, 8, EIGHTH).moved(z=32.8))
    pieces += WINDOWS.on(PANES.whole()) + CLADDING.on(CROWN.whole())
    pieces += ROUND_CONCRETE.on(
        disc(9.1, 0.5, 8, EIGHTH).moved(z=37.5), disc(9.8, 0.4, 8, EIGHTH).moved(z=35.7)
    )
    return pieces + _mullions() + _masts()


def _torn_deck() -> list[Piece]:
    edge = SHAFT_EDGE[1]
    pieces = ROUND_CONCRETE.on(*FLARE.torn(edge, thickness=0.6, columns=2))
    pieces += ROUND_CONCRETE.on(*(w.moved(z=32.6) for w in broken_disc(9.0, 0.6, left_floor, 16)))
    pieces += CLADDING.on(*CROWN.torn(lambda angle: edge(angle) + 1.5, columns=2))
    pieces += WINDOWS.on(*PANES.torn(lambda angle: edge(angle) + 0.6, thickness=0.2, columns=2))
    return pieces + STEEL.on(*bars(17, edge, FLARE, 14)) + BURNT.on(*_fallen())


def _left_roof(angle: float) -> float:
    return 0.86 - 0.16 * float(np.cos(np.radians(angle - 110))) + 0.02 * float(np.cos(np.radians(5 * angle)))


def _fallen() -> list[Solid]:
    """Fallen plates of the crown."""
    plate = solids.slab((3.6, 2.6), 0.3)
    transforms = ((-14.0, -4.0, 24.0), (-13.0, 6.5, -18.0), (5.0, -14.5, 14.0))
    return [plate.turned("x", lean).turned("z", 3 * lean).moved(x, y, 0.4) for x, y, lean in transforms]


def coarse_deck(_row: int) -> list[Piece]:
    """The deck at the coarse level."""
    pieces = ROUND_CONCRETE.on(FLARE.whole()) + WINDOWS.on(PANES.whole()) + CLADDING.on(CROWN.whole())
    mast = solids.turned_profile([(0.5, 37.5), (0.18, 45.0)], 5)
    return pieces + ROUND_CONCRETE.on(disc(9.1, 0.5, 8, EIGHTH).moved(z=37.5)) + STEEL.on(mast)


def _mullions() -> list[Piece]:
    corners = zip(solids.circle(8.75, 8, EIGHTH), solids.circle(9.35, 8, EIGHTH), strict=True)
    posts = [
        solids.tube([(float(a[0]), float(a[1]), 32.6), (float(b[0]), float(b[1]), 35.8)], [0.28, 0.28], 6)
        for a, b in corners
    ]
    return STEEL.on(*posts)


def _masts() -> list[Piece]:
    mast = solids.turned_profile([(0.9, 37.5), (0.7, 38.4), (0.3, 38.6), (0.18, 45.0)], 10)
    spar = solids.tube([(-1.4, 0, 41), (1.4, 0, 41)], [0.07, 0.07], 5)
    spars = [spar, spar.turned("z", -90).moved(z=1.6)]
    pieces = STEEL.on(mast, *spars) + PLATES.on(_hut())
    return pieces + TRIM_VENT.on(solids.box(0.1, 1.4, 0.9).moved(x=-5.24, y=-1.6, z=38.5))


def _hut() -> Solid:
    return solids.slab((3.4, 2.6), 1.9, (3.0, 2.2), bevel=0.16).moved(x=-3.6, y=-1.6, z=37.5)


def sign(row: int) -> list[Piece]:
    """The lit board over the gate; tilted after the first collapse, on the ground after the second."""
    board = solids.slab((5.6, 0.5), 3.0, bevel=0.1).moved(z=-1.5)
    face = solids.box(5.0, 0.06, 2.5).moved(y=0.27)
    if row == 2:
        fallen = STEEL.on(board) + TRIM_VENT.on(face)
        return [
            Piece(piece.solid.turned("x", 64).turned("z", 30).moved(9, 10, -20.8), piece.skin)
            for piece in fallen
        ]
    arm = solids.box(0.3, 1.4, 0.3).moved(y=-0.7)
    pieces = STEEL.on(board, arm.moved(x=-1.8), arm.moved(x=1.8)) + SIGN.on(face)
    return [Piece(piece.solid.turned("y", 14 * row), piece.skin) for piece in pieces]


def beacon(row: int) -> list[Piece]:
    """The red lamp on the mast; its socket on the ground after the collapse."""
    if row:
        return STEEL.on(solids.cylinder(0.46, 0.5, 10).turned("x", 70).moved(9, 13, -44.9))
    lamp = BEACON.on(solids.ball(0.42, 10).textured("z", 0.15))
    return lamp + STEEL.on(solids.cylinder(0.46, 0.16, 10).moved(z=-0.4))


def radar(row: int) -> list[Piece]:
    """The turning scanner on the roof; its foot on the floor of the hall after the collapse."""
    foot = solids.turned_profile([(0.7, -1.2), (0.5, 0.0), (0.3, 0.6)], 10)
    if row:
        return STEEL.on(foot.moved(z=-36.9))
    stations = [(x, 0.3 - 0.09 * x * x) for x in (-2.4, -1.6, -0.8, 0.0, 0.8, 1.6, 2.4)]
    profile = [(-0.06, 0.4), (0.06, 0.4), (0.06, 1.7), (-0.06, 1.7)]
    shell = solids.loft([np.array([(x, bend + y, z) for y, z in profile]) for x, bend in stations])
    return STEEL.on(foot, solids.box(0.3, 0.8, 0.9).moved(y=-0.3, z=1.0), shell)


def gate(row: int) -> list[Piece]:
    """One leaf of the gate; it hangs askew after the first collapse, and nothing later replaces it."""
    if row == 2:
        return []
    leaf = solids.slab((2.2, 0.4), 4.8, bevel=0.1).moved(x=1.1, z=0.6)
    stripe = solids.box(2.0, 0.08, 0.5).moved(x=1.1, y=0.22, z=1.3)
    pieces = STEEL.on(leaf) + TRIM_HAZARD.on(stripe)
    return [Piece(piece.solid.turned("y", 4 * row), piece.skin) for piece in pieces]


def blockers(row: int) -> list[Solid]:
    """Convex solids that cast the tower's shadows."""
    foot, wall = BUNKER
    rib = solids.slab((1.8, 3.6), 7.8, (1.4, 1.2), shift=(0, -1.0)).moved(y=12.4)
    lintel = solids.slab((6.6, 2.2), 0.9, (6.2, 1.6)).moved(y=11.9, z=5.4)
    solid = [_frustum(foot), _frustum(wall), lintel, *(rib.turned("z", 45 + 90 * side) for side in range(4))]
    storeys = (3, 3, 1)[row]
    solid += [_frustum(ring) for ring in SHAFT[:storeys]]
    solid += [piece.solid for piece in _fins((0, 1, 2, 3)[: 4 - row], (29.0, 24.0, 12.0)[row])]
    if row == 0:
        solid += [solids.box(5.6, 0.5, 3.0).moved(y=7.85, z=21.5), _hut()]
    return solid + ([_frustum(FLARE), _frustum(PANES), _frustum(CROWN)] if row == 0 else [])


def _frustum(ring: Ring) -> Solid:
    profile = [(ring.low[1], ring.low[0]), (ring.high[1], ring.high[0])]
    return solids.turned_profile(profile, ring.sides, turn=ring.turn)
