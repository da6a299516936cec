"""Commands for chosen rows of a table of a model, apart from setting their fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.keys import KEY
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.slots import SLOT
from viewer.formats.msh.triangles import TRIANGLE
from viewer.formats.msh.vertices import INDEX
from viewer.geometry import quaternions
from viewer.geometry.transforms import Mask, Matrix
from viewer.model.edit.change import Change
from viewer.model.edit.geometry import move
from viewer.model.edit.geometry.links import DerivedData, Recompute
from viewer.model.edit.geometry.slot_changes import AddSlot, AssignMaterial, CopySlot, RemoveSlot
from viewer.model.edit.geometry.slot_triangles import SlotTriangles
from viewer.model.edit.geometry.vertex_tables import RemoveUnusedVertices
from viewer.model.edit.nodes.node_count import AddNode, RemoveNode
from viewer.model.edit.nodes.set_key import AddKey, PlaceNode, RemoveKey
from viewer.model.edit.values import NodeChoice, RowChoice
from viewer.model.mesh.model import Variant
from viewer.model.tables.table_names import VERTICES
from viewer.session.opened.document import Document
from viewer.session.places import CORNERS, STREAM_NAMES, batches_of_slot
from viewer.translation import Text

NEW_NAME: Final = "node"
"""Beginning of the names of new nodes."""


def node_choice(names: Sequence[str], node: int) -> NodeChoice:
    """Return the name of a node, or its number if it has none, or one that is not its own.

    Parameters
    ----------
    names
        Those of all nodes, in the reading in effect.
    """
    name = names[node] if 0 <= node < len(names) else ""
    is_own = bool(name) and not name.isdigit() and [*names].count(name) == 1
    return name if is_own else node


def free_name(names: Sequence[str]) -> str:
    """Return a name for a new node that no other node has."""
    taken, number = {name.lower() for name in names}, 1
    while f"{NEW_NAME}{number}" in taken:
        number += 1
    return f"{NEW_NAME}{number}"


GEOMETRY: Final = frozenset({VERTICES, INDEX.name, TRIANGLE.name, BATCH.name, SLOT.name, NODE.name})
"""Tables whose rows are or have vertices."""


class RowCommand(Struct, frozen=True):
    """A command on rows of a table.

    Parameters
    ----------
    kind
        The class of the changes, whose icon it has.
    name
        Its id among the menu entries that the class declares.
    changes
        Makes the changes when it is chosen.
    is_possible
        Whether it can be chosen.
    """

    kind: type[Change]
    name: str
    changes: Callable[[], tuple[Change, ...]]
    is_possible: bool = True

    @property
    def title(self) -> Text:
        """Title of the command on screen."""
        return self.kind.menu[self.name]

    @property
    def icon(self) -> str:
        """Icon of the command, a name of Font Awesome."""
        return self.kind.icon


def row_commands(document: Document, table: str, rows: Sequence[int]) -> Iterator[RowCommand]:
    """Yield what can be done with rows of a table; nothing for a table without such changes.

    Parameters
    ----------
    rows
        The chosen rows, the active one last.
    """
    commands = _COMMANDS.get(VERTICES if table in STREAM_NAMES else table)
    if commands is not None and rows:
        yield from commands(document, rows)


def triangles_of(document: Document, table: str, rows: Sequence[int]) -> Mask:
    """Tell which of the `SlotTriangles` rows are or have, (t,)."""
    found = SlotTriangles.of(document.model)
    match table:
        case BATCH.name:
            column = found.batch
        case SLOT.name:
            column = found.slot
        case TRIANGLE.name:
            column = found.row
        case _:
            column, rows = found.first // CORNERS, [row // CORNERS for row in rows]
    return np.isin(column, np.asarray(rows))


def batches_with(document: Document, table: str, rows: Iterable[int]) -> list[int]:
    """Return the batches whose material is assigned with that of rows, ascending."""
    if table == BATCH.name:
        return sorted(rows)
    if table == SLOT.name:
        return sorted({batch for row in rows for batch in batches_of_slot(document, row)})
    if table == NODE.name:
        drawn = document.draws.batch[np.isin(document.draws.node, [*rows])]
        # Draws of terrain have no batch, -1.
        found: list[int] = np.unique(drawn[drawn >= 0]).tolist()
        return found
    return []


def assignment(document: Document, table: str, rows: Iterable[int], material: int) -> tuple[Change, ...]:
    """Return the change that gives rows a row of the wear table as material."""
    return (AssignMaterial(numbers(batches_with(document, table, rows)), material),)


def placement(document: Document, table: str, rows: Sequence[int], matrix: Matrix) -> tuple[Change, ...]:
    """Return the changes that transform the vertices of rows by a matrix (4, 4) in node space."""
    is_move = np.array_equal(matrix[:3, :3], np.eye(3))
    by = (float(matrix[0, 3]), float(matrix[1, 3]), float(matrix[2, 3]))
    flat = tuple(float(number) for number in matrix.ravel())
    if table == NODE.name:
        nodes = [node_choice(document.names, node) for node in rows]
        return tuple(
            move.MoveGeometry(node, by) if is_move else move.TransformGeometry(node, flat) for node in nodes
        )
    vertices = [*rows]
    if table != VERTICES and table not in STREAM_NAMES:
        corners = SlotTriangles.of(document.model).corners[triangles_of(document, table, rows)]
        vertices = np.unique(corners).tolist()
    if not vertices:
        return ()
    chosen = numbers(sorted(vertices))
    return (move.MoveVertices(chosen, by) if is_move else move.TransformVertices(chosen, flat),)


def pose(document: Document, nodes: Sequence[int], matrix: Matrix) -> tuple[Change, ...]:
    """Return the changes that move and turn nodes in all their keys; what hangs on them follows."""
    by = (float(matrix[0, 3]), float(matrix[1, 3]), float(matrix[2, 3]))
    turn = tuple(quaternions.of_matrix(matrix[:3, :3]).tolist())
    return tuple(PlaceNode(node_choice(document.names, node), by, turn) for node in nodes)


def can_place(table: str) -> bool:
    """Tell whether rows of a table are or have vertices."""
    return table in GEOMETRY or table in STREAM_NAMES


def numbers(rows: Sequence[int]) -> RowChoice:
    """Return ascending rows as a range if they are one, else as numbers."""
    if len(rows) > 1 and rows[-1] - rows[0] == len(rows) - 1:
        return RowChoice(f"{rows[0]}:{rows[-1] + 1}")
    return RowChoice.of(*rows)


def _slots(document: Document, rows: Sequence[int]) -> Iterator[RowCommand]:
    del document
    active, chosen = rows[-1], tuple(sorted(rows))
    yield RowCommand(AddSlot, "add_slot", lambda: (AddSlot(),))
    yield RowCommand(CopySlot, "copy_slot", lambda: (CopySlot(active),))
    copy = (CopySlot(active, has_own_geometry=True),)
    yield RowCommand(CopySlot, "copy_slot_geometry", lambda: copy)
    removed = tuple(RemoveSlot(slot) for slot in reversed(chosen))
    yield RowCommand(RemoveSlot, "remove_slot", lambda: removed)
    yield _recompute(DerivedData.BOUNDS, chosen)


def _batches(document: Document, rows: Sequence[int]) -> Iterator[RowCommand]:
    yield from _triangles_in(document, BATCH.name, rows)
    yield _recompute(DerivedData.VERTEX_COUNTS, tuple(sorted(rows)))


def _descriptors(document: Document, rows: Sequence[int]) -> Iterator[RowCommand]:
    yield from _triangles_in(document, TRIANGLE.name, rows)
    chosen = tuple(sorted(rows))
    yield _recompute(DerivedData.FACE_NORMALS, chosen)
    yield _recompute(DerivedData.LINKS, chosen)


def _triangles_in(document: Document, table: str, rows: Sequence[int]) -> Iterator[RowCommand]:
    if document.model.variant is Variant.TERRAIN:
        return

    def chosen() -> tuple[int, ...]:
        firsts = SlotTriangles.of(document.model).first[triangles_of(document, table, rows)]
        return tuple((np.unique(firsts) // CORNERS).tolist())

    def flipped() -> tuple[Change, ...]:
        return (move.FlipTriangles(triangles),) if (triangles := chosen()) else ()

    def removed() -> tuple[Change, ...]:
        return (move.RemoveTriangles(triangles),) if (triangles := chosen()) else ()

    yield RowCommand(move.FlipTriangles, "flip_triangles", flipped)
    yield RowCommand(move.RemoveTriangles, "remove_triangles", removed)


def _vertices(document: Document, rows: Sequence[int]) -> Iterator[RowCommand]:
    yield _recompute(DerivedData.VERTEX_NORMALS, tuple(sorted(rows)))
    if document.model.variant is not Variant.TERRAIN:
        yield RowCommand(RemoveUnusedVertices, "remove_unused", lambda: (RemoveUnusedVertices(),))


def _nodes(document: Document, rows: Sequence[int]) -> Iterator[RowCommand]:
    names = document.names
    above = node_choice(names, rows[-1])
    yield RowCommand(AddNode, "add_node", lambda: (AddNode(free_name(names), above),))
    for name, with_children in (("remove_node", False), ("remove_below", True)):
        removed = tuple(
            RemoveNode(node_choice(names, node), with_children=with_children)
            for node in sorted(rows, reverse=True)
        )
        yield RowCommand(RemoveNode, name, partial(tuple, removed))


def _keys(document: Document, rows: Sequence[int]) -> Iterator[RowCommand]:
    key, owners = rows[-1], document.animation.key_owners
    owner = int(owners[key]) if key < len(owners) else -1
    track = document.animation.track(owner) if owner >= 0 else range(0)
    times = document.model.keys["time"]
    middle: float | None = None
    if key in track and key + 1 in track:
        middle = float((times[key] + times[key + 1]) // 2)
    added = () if middle is None else (AddKey(node_choice(document.names, owner), middle),)
    is_free = middle is not None and middle > float(times[key])
    yield RowCommand(AddKey, "add_key", lambda: added, is_free)
    removed = _removed_keys(document, owners, rows)
    yield RowCommand(RemoveKey, "remove_key", lambda: removed, bool(removed))


def _removed_keys(
    document: Document, owners: npt.NDArray[np.integer], rows: Sequence[int]
) -> tuple[Change, ...]:
    """The changes that remove keys, the last first; nodes number their keys by themselves."""
    found: list[Change] = []
    for key in sorted(rows, reverse=True):
        owner = int(owners[key]) if key < len(owners) else -1
        if owner >= 0 and key in (track := document.animation.track(owner)):
            found.append(RemoveKey(node_choice(document.names, owner), track.index(key)))
    return tuple(found)


def _recompute(what: DerivedData, rows: tuple[int, ...]) -> RowCommand:
    return RowCommand(Recompute, f"recompute_{what}", lambda: (Recompute(what, rows),))


_COMMANDS: Final[dict[str, Callable[[Document, Sequence[int]], Iterator[RowCommand]]]] = {
    SLOT.name: _slots,
    BATCH.name: _batches,
    TRIANGLE.name: _descriptors,
    INDEX.name: lambda document, rows: _triangles_in(document, INDEX.name, rows),
    VERTICES: _vertices,
    NODE.name: _nodes,
    KEY.name: _keys,
}
