"""Damage (``.ndp``): what each node of a model withstands, and how it explodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assets.sample.spec import ModelSpec, Node
from viewer.formats.neighbors import damage
from viewer.formats.text import padded

INDESTRUCTIBLE = 1e6
LEFT, RIGHT = 0x20, 0x40
"""Running gear of one side."""
EFFECTS, WEAPONS = "effects.rlb", "weapon.rlb"

NAME_SIZE = 32


def damage_bytes(
    spec: ModelSpec,
    hit_points: Callable[[Node], float],
    explosion: str,
    flags: Mapping[str, int] | None = None,
) -> bytes:
    """The file of `spec`, `flags` by node name: nodes with a damaged state explode, sockets do not break."""
    header = damage.HEADER.new()
    header["count"] = len(spec.nodes)
    rows = damage.NODE_DAMAGE.new(len(spec.nodes))
    for row, node in zip(rows, spec.nodes, strict=True):
        row["flags"] = (flags or {}).get(node.name, 0)
        row["hit_points"] = hit_points(node) if node.cells else INDESTRUCTIBLE
        row["density"] = 2.5 if node.cells else 0.0
        if node.cells.get((1, 0)):
            row["archive"] = padded(WEAPONS.encode("ascii"), NAME_SIZE)
            row["explosion"] = padded(explosion.encode("ascii"), NAME_SIZE)
    return damage.encode(damage.Damage(header[0], rows, b""))
