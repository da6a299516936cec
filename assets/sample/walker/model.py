"""The walker: a two-legged fighting machine in three levels of detail. A few of its parts lose pieces."""

from __future__ import annotations

from collections.abc import Sequence

from assets.sample.motion import still
from assets.sample.shapes.finish import Piece
from assets.sample.spec import OWN_VIEW, Cell, Level, ModelSpec, Node, Shape
from assets.sample.walker import body, legs
from assets.sample.walker.cockpit import EYE, cockpit
from assets.sample.walker.gait import leg_tracks
from assets.sample.walker.motion import body_tracks
from assets.sample.walker.skins import WEAR
from viewer.formats.msh.nodes import FLAG_COCKPIT

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


BREAKABLE = frozenset({"central", "turret", "gun_r", "barrels_r", "shin_l"})
"""Parts with a second state of damage."""

SEEN_FROM_INSIDE = frozenset({"barrels_l", "barrels_r"})
"""Parts that the machine's own view draws besides the cockpit."""

SOCKET_TAKES = "universal_ll"


def walker() -> ModelSpec:
    """The model."""
    tracks = body_tracks()
    nodes = [Node("root", None, tracks["root"])]
    for name, parent, shape in BODY:
        cells = _cells(name, _mirrored(shape) if name.endswith("_l") else shape)
        nodes.append(Node(name, parent, tracks.get(name, still()), cells))
    for index, x in enumerate(body.EXHAUSTS):
        mouth = still(x, body.STACK[1], body.STACK[2] - 0.12)
        name = f"embers_{'lr'[index]}"
        nodes.append(Node(name, "central", mouth, _cells(name, body.embers)))
    for side in "lr":
        nodes += _leg(side)
    nodes.append(Node("CP_walker", "central", still(*EYE), {(0, OWN_VIEW): cockpit()}, FLAG_COCKPIT))
    nodes.append(Node("Base_cargo", "central", still(0, -0.3, 1.6), takes=SOCKET_TAKES))
    nodes.append(Node("Base_TM", "turret", still(0.12, 0.3, 0.97), takes="e_tur_bt"))
    return ModelSpec("walker", nodes, WEAR)


def _leg(side: str) -> list[Node]:
    tracks = leg_tracks(side)
    nodes = []
    for part, parent, shape in LEG:
        name = f"{part}_{side}"
        cells = _cells(name, shape if side == "r" else _mirrored(shape))
        above = parent if parent == "pelvis" else f"{parent}_{side}"
        nodes.append(Node(name, above, tracks[part], cells))
    return nodes


def _cells(name: str, shape: Shape) -> dict[Cell, Sequence[Piece]]:
    cells: dict[Cell, Sequence[Piece]] = {(0, lod): shape(Level(lod)) for lod in range(3)}
    if name in BREAKABLE:
        cells |= {(1, lod): shape(Level(lod, is_damaged=True)) for lod in range(2)}
    if name in SEEN_FROM_INSIDE:
        cells[0, OWN_VIEW] = shape(Level(1))
    return cells


def _mirrored(shape: Shape) -> Shape:
    return lambda level: [piece.mirrored() for piece in shape(level)]
