"""The rows of nodes, parents before children, their names, and what refers to them by their rows.

A node of the game has a position and a rotation. A scale is applied to the vertices of the node, and to the
positions of its children, which scale their own vertices in turn. Rooms behind portals, path points and light
probes name nodes.

Source: spec/msh.md 7, 9, 10, 12; spec/field-notes.md 2, 3.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from viewer.errors import FormatError
from viewer.formats import text
from viewer.formats.msh import path_graph
from viewer.formats.msh.batches import FLAG_PORTAL
from viewer.formats.msh.nodes import NODE, NONE
from viewer.formats.msh.path_graph import LIGHT_PROBE
from viewer.formats.msh.strings import NAME_SIZE
from viewer.formats.msh.tables import LIGHT_PROBES, PATH_GRAPH
from viewer.formats.record import Rows
from viewer.geometry.quaternions import conjugate
from viewer.geometry.transforms import Matrix
from viewer.model.convert.scene import ONE, Fields, Node, Scene
from viewer.model.mesh.pose.interpolation import rotations
from viewer.model.mesh.pose.skeleton import ROOT
from viewer.model.mesh.reading import MaterialField
from viewer.translation import _


class RowPlace(Struct, frozen=True):
    """A row of a table that is being made, for messages."""

    table: str
    index: int | None = None

    def wrong(self, field: str, template: str, **values: object) -> FormatError:
        """The error about a value of the row: the template of its message, and the values in it."""
        return FormatError(_(template, **values), table=self.table, index=self.index, field=field)

    def limited(self, field: str, value: int, limit: int) -> int:
        """A number from 0 to a limit; raises `FormatError` for another one."""
        if not 0 <= value <= limit:
            raise self.wrong(field, "{value} exceeds {limit}", value=value, limit=limit)
        return value


def word(fields: Fields, name: str, default: int, place: RowPlace, limit: int = 0xFFFF) -> int:
    """A field of a record as a whole number from 0 to `limit`; raises `FormatError` for anything else."""
    value = fields.get(name, default)
    # Programs that carry extras along may return 3 as 3.0.
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise place.wrong(name, "{value!r} is not a whole number", value=value)
    return place.limited(name, value, limit)


def words(value: Any, count: int, name: str, place: RowPlace) -> list[int]:
    """A field of several 32-bit words; raises `FormatError` for anything else."""
    if not isinstance(value, list | tuple) or len(value) != count:
        raise place.wrong(name, "{value!r} is not a list of {count} numbers", value=value, count=count)
    return [word({name: item}, name, 0, place, 0xFFFFFFFF) for item in value]


def finite(values: npt.NDArray[np.floating], table: str, field: str) -> None:
    """Raise `FormatError` for the first row of (n, ...) with a number that is not finite."""
    if not np.isfinite(values).all():
        index = int(np.flatnonzero(~np.isfinite(values.reshape(len(values), -1)).all(axis=1))[0])
        raise RowPlace(table, index).wrong(field, "{value} is not finite", value=values[index].tolist())


class Losses(Struct):
    """The losses of a scene in the game's format, as sentences in the order of their discovery."""

    sentences: list[str] = field(default_factory=list)

    def add(self, template: str, count: int = 1, **values: object) -> None:
        """Add a sentence with its values, unless what it counts is nothing."""
        if count:
            self.sentences.append(_(template, count=count, **values))


def game_text(name: str, size: int | None = None) -> bytes:
    """A name as the game stores it: underscores for other letters, cut to `size` bytes."""
    # Names end at a NUL in the game's tables.
    return b"".join(map(_letter, name)).replace(b"\0", b"_")[:size]


def _letter(letter: str) -> bytes:
    try:
        return text.encode(letter)
    except ValueError:
        return b"_"


def unlike(taken: Container[bytes], name: bytes, most: int) -> bytes:
    """A name of so many bytes, with a number at its end if it is among the taken ones, which are folded."""
    found, number = name, 1
    while text.fold(found) in taken:
        number += 1
        end = b"_%d" % number
        found = name[: most - len(end)] + end
    return found


EVEN = 1e-5
"""Difference between the scales along the axes, as a fraction, that is none."""


class NodeOrder(Struct, frozen=True, eq=False):
    """Order of the nodes of a scene in the table.

    Attributes
    ----------
    nodes
        Number in the scene of the node of each row.
    rows
        Row of each node of the scene.
    parents
        Row of the parent of each row; `ROOT` for none.
    scales
        The matrix (3, 3) of the vertices of each row; None for those that stay as they are.
    """

    nodes: Sequence[int]
    rows: Sequence[int]
    parents: Sequence[int]
    scales: Sequence[Matrix | None]


def order_of(scene: Scene, losses: Losses) -> NodeOrder:
    """The order of a scene's nodes: as they are, but for parents after their children."""
    if len(scene.nodes) > NONE:
        place, count = RowPlace(NODE.name, NONE), len(scene.nodes)
        raise place.wrong("parent", "{count} nodes, at most {limit}", count=count, limit=NONE)
    known = {*range(len(scene.nodes))}  # a range would be searched from end to end for each None
    parents = [node.parent if node.parent in known else None for node in scene.nodes]
    nodes, cycles = without_cycles(parents)
    for length in cycles:
        losses.add("nodes in a cycle of parents: {count}; one of them becomes a root", length)
    rows = [0] * len(nodes)
    for row, node in enumerate(nodes):
        rows[node] = row
    above = [parents[node] for node in nodes]
    parent_rows = [ROOT if parent is None else rows[parent] for parent in above]
    return NodeOrder(nodes, rows, parent_rows, _scales(scene, nodes, parent_rows, losses))


def without_cycles(parents: list[int | None]) -> tuple[list[int], list[int]]:
    """All nodes, each after its parent, and the lengths of cycles; a parent that closes one is taken away."""
    order: list[int] = []
    cycles: list[int] = []
    is_listed, is_waiting = [False] * len(parents), [False] * len(parents)
    for node in range(len(parents)):
        chain: list[int] = []
        above: int | None = node
        # A chain of waiting nodes that meets itself is a cycle: of 0 -> 1 -> 2 -> 1 the link of 2 is cut.
        while above is not None and not is_listed[above] and not is_waiting[above]:
            is_waiting[above] = True
            chain.append(above)
            above = parents[above]
        if above is not None and not is_listed[above]:
            parents[chain[-1]] = None
            cycles.append(len(chain))
        for member in reversed(chain):
            is_listed[member] = True
            order.append(member)
    return order, cycles


def _scales(
    scene: Scene, nodes: Sequence[int], parents: Sequence[int], losses: Losses
) -> Sequence[Matrix | None]:
    if all(node.scale == ONE for node in scene.nodes):
        return [None] * len(nodes)
    scales: list[Matrix | None] = []
    uneven = 0
    for number, parent in zip(nodes, parents, strict=True):
        node = scene.nodes[number]
        above = None if parent == ROOT else scales[parent]
        uneven += above is not None and not _is_even(above) and _turns(node)
        scales.append(_scale(node, above))
    words = "nodes with a scale: {count}; it is applied to vertices and to the positions of children"
    losses.add(words, sum(node.scale != ONE for node in scene.nodes))
    losses.add(
        "nodes that turn within an uneven scale: {count}; they keep the shape of their first key", uneven
    )
    return scales


def _scale(node: Node, above: Matrix | None) -> Matrix | None:
    """The matrix of the vertices of a node whose parent has the matrix `above`."""
    if above is None:
        return None if node.scale == ONE else np.diag(np.array(node.scale, np.float64))
    if _is_even(above):
        # An even scale passes through a rotation as it is; only uneven ones shear what turns in them.
        return np.diag(np.array(node.scale, np.float64) * above[0, 0])
    first = node.track.rotations[0] if node.track is not None and len(node.track.times) else node.rotation
    rotation = rotations(np.array([conjugate(first)]))[0]
    turned: Matrix = rotation.T @ above @ rotation @ np.diag(np.array(node.scale, np.float64))
    return turned


def _is_even(matrix: Matrix) -> bool:
    size = abs(float(matrix[0, 0]))
    return bool(np.abs(matrix - np.eye(3) * matrix[0, 0]).max() <= EVEN * size)


def _turns(node: Node) -> bool:
    return node.track is not None and bool((node.track.rotations != node.track.rotations[:1]).any())


def names_of(
    scene: Scene, nodes: Sequence[int], losses: Losses, *, has_name_records: bool
) -> tuple[list[bytes], list[bytes]]:
    """The texts in Res9 and in Res10, by row: names and labels; otherwise none and names, without labels."""
    shown = [scene.nodes[node] for node in nodes]
    limit = NAME_SIZE - 1 if has_name_records else None
    names = stored_names([node.name for node in shown], limit)
    other = sum(
        name.decode("cp1251", "replace") != node.name for name, node in zip(names, shown, strict=True)
    )
    losses.add("node names with letters that the game does not have, or too long: {count}", other)
    if has_name_records:
        return names, [game_text(node.socket_tag) for node in shown]
    words = "labels of sockets, which this reading does not have: {count}"
    losses.add(words, sum(bool(it.socket_tag) for it in shown))
    return [b""] * len(names), names


def stored_names(names: Sequence[str], limit: int | None) -> list[bytes]:
    """The names of nodes as the game stores them; two that differ do not become one if they are cut."""
    stored = [game_text(name, limit) for name in names]
    if limit is None:
        return stored
    # Names that fit are as they are, equal ones too; of the cut ones each name has its own.
    taken = {text.fold(it) for it, name in zip(stored, names, strict=True) if it == game_text(name)}
    cut: dict[str, bytes] = {}
    for index, name in enumerate(names):
        if stored[index] != game_text(name):
            if name not in cut:
                cut[name] = unlike(taken, stored[index], limit)
                taken.add(text.fold(cut[name]))
            stored[index] = cut[name]
    return stored


class References:
    """The nodes of the model that a scene was made of, by their rows in the new one.

    Nothing refers to nodes of another program. What names a node that is gone names the first one, or no
    room, and is counted in the losses. Only the `field` of retail files has rooms.
    """

    def __init__(self, scene: Scene, order: NodeOrder, field: MaterialField) -> None:
        self._rows: dict[int, int] = {}
        for row, node in enumerate(order.nodes):
            number = scene.nodes[node].number
            if number is not None:
                self._rows.setdefault(number, row)
        self._is_moved = any(number != row for number, row in self._rows.items())
        is_same = scene.origin is not None and scene.origin.material_field == field
        self._has_rooms = is_same and field is MaterialField.FIELD
        self._attributes = scene.attributes

    def put_rooms(self, batches: Rows, losses: Losses) -> None:
        """Write the rooms behind the portals among some batches."""
        if self._is_moved and self._has_rooms:
            portals = np.flatnonzero(batches["flags"] & FLAG_PORTAL)
            batches["opaque6"][portals] = self._new(batches["opaque6"][portals], NONE, losses)

    def tables(self, tables: Mapping[int, bytes], losses: Losses) -> dict[int, bytes]:
        """Payloads of tables, those that name nodes with their new rows."""
        made = dict(tables)
        if not self._is_moved:
            return made
        if PATH_GRAPH in made:
            point_count, link_count, _ignored = self._attributes.get(PATH_GRAPH, (0, 0, 0))
            graph = path_graph.decode(made[PATH_GRAPH], point_count, link_count)
            # Only the points name nodes; the links behind them follow as they were.
            made[PATH_GRAPH] = self._renumbered(graph.nodes, losses) + made[PATH_GRAPH][graph.nodes.nbytes :]
        if LIGHT_PROBES in made and not len(made[LIGHT_PROBES]) % LIGHT_PROBE.size:
            made[LIGHT_PROBES] = self._renumbered(LIGHT_PROBE.view(made[LIGHT_PROBES]), losses)
        return made

    def _renumbered(self, rows: Rows, losses: Losses) -> bytes:
        made = rows.copy()
        made["node"] = self._new(rows["node"], 0, losses)
        return made.tobytes()

    def _new(self, numbers: npt.NDArray[np.integer], gone: int, losses: Losses) -> list[int]:
        """The rows of nodes by their numbers (n,), `gone` for those that are not there any more."""
        listed = numbers.tolist()
        words = "rooms, path points and lights of nodes that are gone: {count}"
        losses.add(words, sum(number not in self._rows and number != NONE for number in listed))
        return [self._rows.get(number, gone) for number in listed]
