"""A fortified control tower, 46 units tall: intact, half collapsed, and a ruin.

Rows of the slot matrix are states of damage, columns 0 and 1 levels of detail. A doorway leads into a hall,
whose ceiling opens into the well of a lift.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from assets.sample.motion import Track, sampled, still, through, transform
from assets.sample.shapes.finish import Piece
from assets.sample.spec import Cell, ModelSpec, Node, PathGraph, PathPoint, Probe
from assets.sample.surfaces.lightmap import Lamp, Lightmap
from assets.sample.tower import inside, parts
from assets.sample.tower.skins import LIGHTMAPPED, WEAR
from viewer.formats.msh.nodes import FLAG_INTERNAL, FLAG_SURVIVES

LIGHTMAP = "LM_TOWER.0"
FRAMES = 96
OPENING = (12, 36)
"""Frames in which the gate opens."""

State = Callable[[int], Sequence[Piece]]


def tower() -> ModelSpec:
    """The model, facing +Y."""
    nodes = [
        Node("Base_tower"),
        Node("o01_bunker", "Base_tower", still(), _cells(parts.bunker, parts.coarse_bunker), FLAG_SURVIVES),
        Node("o02_shaft", "Base_tower", still(), _cells(parts.shaft, parts.coarse_shaft)),
        Node("o03_deck", "Base_tower", still(), _cells(parts.deck, parts.coarse_deck)),
        Node("i01_floors", "Base_tower", still(), _cells(inside.floors), FLAG_INTERNAL),
        Node("i02_hall", "Base_tower", still(), _cells(inside.hall), FLAG_INTERNAL),
        Node("o04_sign", "o02_shaft", still(0, 7.6, 21.5), _cells(parts.sign)),
        Node("o05_beacon", "o03_deck", still(0, 0, 45.2), _cells(parts.beacon)),
        Node("o06_radar", "o03_deck", _radar(), _cells(parts.radar)),
        Node("o07_gate_l", "o01_bunker", _gate(-1), _cells(_mirrored(parts.gate))),
        Node("o07_gate_r", "o01_bunker", _gate(1), _cells(parts.gate)),
        Node("Base_gun_l", "o03_deck", still(-7.4, 3.0, 38.0), takes="e_tur_bt"),
        Node("Base_gun_r", "o03_deck", still(7.4, 3.0, 38.0), takes="e_tur_bt"),
    ]
    return ModelSpec("b_tower", nodes, WEAR, LIGHTMAP, LIGHTMAPPED, _probes(), _paths())


def tower_lightmap() -> Lightmap:
    """The lightmap page with the model's patches."""
    gate = Lamp((0.0, 14.2, 6.3), (1.2, 0.86, 0.42), 3.4)
    sign = Lamp((0.0, 9.4, 21.5), (0.8, 0.42, 0.1), 2.0)
    floods = [Lamp((0.93 * x, 0.93 * y, z), (1.2, 0.84, 0.40), 3.0) for x, y, z in parts.FLOODLIGHTS]
    return Lightmap([parts.blockers(row) for row in range(3)], (gate, sign, *floods, *inside.LAMPS))


def _cells(state: State, coarse: State | None = None) -> Mapping[Cell, Sequence[Piece]]:
    """Three states in column 0; the intact one may have a coarse level, in column 1."""
    cells: dict[Cell, Sequence[Piece]] = {(row, 0): state(row) for row in range(3)}
    return cells | {(0, 1): coarse(0)} if coarse else cells


def _mirrored(state: State) -> State:
    return lambda row: [piece.mirrored() for piece in state(row)]


def _radar() -> Track:
    return sampled(
        lambda time: transform(3.2, -2.6, 38.7, ("z", 360 * time / FRAMES)), range(0, FRAMES + 1, 12)
    )


def _gate(side: int) -> Track:
    """One leaf that slides open and shut again."""
    opening = through([(0, 0.1), (OPENING[0], 0.1), (OPENING[1], 1.7), (60, 1.7), (84, 0.1), (FRAMES, 0.1)])
    return sampled(lambda time: transform(side * opening(time), 12.1, 0), range(0, FRAMES + 1, 6))


def _probes() -> tuple[Probe, ...]:
    warm, cold = (1.0, 0.82, 0.55), (0.6, 0.8, 1.0)
    return (
        Probe(inside.HALL, (0.0, 6.0, 5.0), warm, 9.0),
        Probe(inside.LIFT, (0.0, 3.0, 18.0), cold, 6.0),
        Probe("o03_deck", (0.0, 0.0, 34.5), warm, 8.0),
    )


def _paths() -> PathGraph:
    """From the ramp through the gate and around the lift, and up to the deck."""
    hall, lift = inside.HALL, inside.LIFT
    points = (
        PathPoint(inside.BUNKER, (0, 17, 0)),
        PathPoint(hall, (0, 11, 0.6)),
        PathPoint(hall, (0, 6, 0.6)),
        PathPoint(hall, (6, 0, 0.6)),
        PathPoint(hall, (0, -6, 0.6)),
        PathPoint(hall, (-6, 0, 0.6)),
        PathPoint(lift, (0, 2.1, 0.6)),
        PathPoint(lift, (0, 2.1, 15.4)),
        PathPoint(lift, (0, 4.5, 15.4)),
        PathPoint("o03_deck", (0, 2.1, 33.0)),
        PathPoint("o03_deck", (0, 6, 33.0)),
    )
    links = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 2), (2, 6), (6, 7), (7, 8), (7, 9), (9, 10))
    return PathGraph(points, links)
