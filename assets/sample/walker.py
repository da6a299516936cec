"""The walker: a two-legged fighting machine of 37 nodes, three levels of detail, intact and damaged.

In the seed reading rows are LODs and columns groups: group 0 is the machine as built, group 1 after a
battle. The field reading names rows damage states and columns levels of detail, so its file holds the
same cells transposed.
"""

from __future__ import annotations

from collections.abc import Sequence

from assets.sample import walker_body as body
from assets.sample import walker_legs as legs
from assets.sample.finish import Piece
from assets.sample.gait import body_tracks, leg_tracks
from assets.sample.motion import still
from assets.sample.spec import Cell, Level, ModelSpec, Node, Shape
from assets.sample.walker_skins import WEAR

BODY: tuple[tuple[str, str, Shape], ...] = (
    ("pelvis", "root", legs.pelvis),
    ("central", "pelvis", body.hull),
    ("engine", "central", body.engine),
    ("fittings", "central", body.fittings),
    ("turret", "central", body.turret),
    ("eye", "turret", body.eye),
    ("dish", "turret", body.dish),
    ("antenna", "turret", body.antenna),
    ("antenna_tip", "antenna", body.antenna_tip),
    ("gun_l", "turret", body.gun),
    ("barrels_l", "gun_l", body.barrels),
    ("gun_r", "turret", body.gun),
    ("barrels_r", "gun_r", body.broken_barrels),
    ("flap_l", "central", body.flap),
    ("flap_r", "central", body.flap),
)
LEG: tuple[tuple[str, str, Shape], ...] = (
    ("hip", "pelvis", legs.hip),
    ("thigh", "hip", legs.thigh),
    ("shin", "thigh", legs.shin),
    ("foot", "shin", legs.foot),
    ("toe_in", "foot", legs.toe),
    ("toe_out", "foot", legs.toe),
    ("heel", "foot", legs.heel),
    ("cylinder", "thigh", legs.cylinder),
    ("rod", "shin", legs.rod),
)


UNHURT = frozenset({"gun_l", "shin_l", "thigh_r"})
"""Parts that look the same after the battle."""


def walker(stem: str = "walker", *, is_transposed: bool = False) -> ModelSpec:
    """The model; transposed for the field reading."""
    tracks = body_tracks()
    nodes = [Node("root")]
    for name, parent, shape in BODY:
        cells = _cells(name, _mirrored(shape) if name.endswith("_l") else shape, is_transposed)
        nodes.append(Node(name, parent, tracks.get(name, still()), cells))
    for index, x in enumerate(body.EXHAUSTS):
        mouth = still(x, body.STACK[1], body.STACK[2] - 0.12)
        name = f"embers_{'lr'[index]}"
        nodes.append(Node(name, "central", mouth, _cells(name, body.embers, is_transposed)))
    for side in "lr":
        nodes += _leg(side, is_transposed)
    nodes.append(Node("Base_cargo", "central", still(0, -0.3, 1.6)))
    return ModelSpec(stem, nodes, WEAR)


def _leg(side: str, is_transposed: bool) -> list[Node]:
    tracks = leg_tracks(side)
    nodes = []
    for part, parent, shape in LEG:
        name = f"{part}_{side}"
        cells = _cells(name, shape if side == "r" else _mirrored(shape), is_transposed)
        above = parent if parent == "pelvis" else f"{parent}_{side}"
        nodes.append(Node(name, above, tracks[part], cells))
    return nodes


def _cells(name: str, shape: Shape, is_transposed: bool) -> dict[Cell, Sequence[Piece]]:
    cells: dict[Cell, Sequence[Piece]] = {}
    for lod in range(3):
        for group, is_damaged in enumerate((False, True)):
            cell = (group, lod) if is_transposed else (lod, group)
            cells[cell] = shape(Level(lod, is_damaged and name not in UNHURT))
    return cells


def _mirrored(shape: Shape) -> Shape:
    return lambda level: [piece.mirrored() for piece in shape(level)]
