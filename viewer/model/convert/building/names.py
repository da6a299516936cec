"""Names and labels of nodes, in the tables where a reading looks for them.

Source: spec/msh.md 7; spec/field-notes.md 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from viewer.formats.msh.strings import NAME_SIZE
from viewer.model.convert.building.values import Losses, game_text
from viewer.model.convert.scene import Scene


@dataclass(frozen=True, slots=True)
class Names:
    """The texts of both tables, by row of the node: `records` in Res9, `strings` in Res10."""

    records: list[bytes]
    strings: list[bytes]


def names_of(scene: Scene, nodes: Sequence[int], losses: Losses, *, has_name_records: bool) -> Names:
    """Names in Res9 and labels in Res10; otherwise names in Res10, and no labels."""
    shown = [scene.nodes[node] for node in nodes]
    limit = NAME_SIZE - 1 if has_name_records else None
    names = [game_text(node.name, limit) for node in shown]
    other = sum(
        name.decode("cp1251", "replace") != node.name for name, node in zip(names, shown, strict=True)
    )
    losses.add("node names with letters that the game does not have, or too long: {count}", other)
    if has_name_records:
        return Names(names, [game_text(node.takes) for node in shown])
    losses.add(
        "labels of sockets, which this reading does not have: {count}", sum(bool(it.takes) for it in shown)
    )
    return Names([b""] * len(names), names)
