"""What refers to nodes by their numbers: listed, renumbered, and set to none if a node is removed.

In a model these are rooms behind portals, points of the path graph and light probes.

Source: spec/msh.md 12, spec/field-notes.md 2, 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.errors import EditError, location
from viewer.formats.msh import path_graph
from viewer.formats.msh.batches import BATCH, FLAG_PORTAL
from viewer.formats.msh.nodes import NONE
from viewer.formats.msh.path_graph import LIGHT_PROBE, PATH_NODE
from viewer.formats.msh.tables import BATCHES, LIGHT_PROBES, PATH_GRAPH
from viewer.formats.record import Rows
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import MaterialField, Reading
from viewer.translation import Sentence

Mask = npt.NDArray[np.bool_]
Targets = npt.NDArray[np.int64]
"""The new index of each old node, (n,) int64; `REMOVED` for one that is not there any more."""
REMOVED: Final = -1


@dataclass(frozen=True, slots=True)
class NodeReference:
    """A row that refers to a node.

    Attributes
    ----------
    node
        The number of the node.
    table, row, field
        Where it is referred to.
    payload
        The name of the payload next to the model that has the row; empty for the model itself.
    name
        The name of the row, if it has one.
    """

    node: int
    table: str
    row: int | None
    field: str
    payload: str = ""
    name: str = ""

    @property
    def words(self) -> str:
        """The place: ``walker.cpt points[2].nodes (muzzle_l)``."""
        place = " ".join(filter(None, (self.payload, location(self.table, self.row, self.field))))
        return f"{place} ({self.name})" if self.name else place


class ReferencedError(EditError):
    """Nodes to which something refers would be removed.

    Parameters
    ----------
    references
        All of these references.
    names
        The names of the nodes of the model.

    Attributes
    ----------
    nodes
        Each of the nodes with what refers to it, in words.
    """

    def __init__(self, references: Sequence[NodeReference], names: Sequence[str] = ()) -> None:
        self.nodes = tuple(by_node(references, names))
        found = "; ".join(self.nodes)
        super().__init__(Sentence("nodes to which something refers would be removed: {nodes}", nodes=found))
        self.references = tuple(references)


def by_node(references: Sequence[NodeReference], names: Sequence[str]) -> Iterator[str]:
    """Yield each node with the places that refer to it: ``turret (walker.ctl channels[0].node)``."""
    for node in sorted({it.node for it in references}):
        label = names[node] if node < len(names) and names[node] else str(node)
        places = dict.fromkeys(it.words for it in references if it.node == node)
        yield f"{label} ({', '.join(places)})"


@dataclass(frozen=True, slots=True, eq=False)
class ReferringRows:
    """A table whose rows refer to nodes.

    Attributes
    ----------
    table, rows, field
        The rows, (n,), and the field that holds the numbers of nodes.
    is_node
        Which of these numbers are nodes, of the shape of the field in all rows.
    none
        The number that means no node.
    """

    table: str
    rows: Rows
    field: str
    is_node: Mask
    none: int

    def references(self, payload: str = "", names: Sequence[str] = ()) -> Iterator[NodeReference]:
        """Yield all references; `names` are those of the rows."""
        nodes = self.rows[self.field]
        for place in map(tuple, np.argwhere(self.is_node).tolist()):
            row = int(place[0])
            name = names[row] if row < len(names) else ""
            yield NodeReference(int(nodes[place]), self.table, row, self.field, payload, name)

    def renumbered(self, targets: Targets) -> Rows:
        """The rows with new numbers; none for that of a removed node."""
        rows = self.rows.copy()
        old = rows[self.field].astype(np.int64)
        new = np.where(self.is_node, targets[np.where(self.is_node, old, 0)], old)
        rows[self.field] = np.where(self.is_node & (new == REMOVED), self.none, new)
        return rows


def referring_tables(model: Model, reading: Reading) -> dict[int, ReferringRows]:
    """The tables of a model that refer to its nodes, by type.

    A table in which a row has a number that is neither a node nor none has another meaning, and is left out.
    """
    found: dict[int, ReferringRows] = {}
    batches, count = model.batches, len(model.nodes)
    if reading.material_field is MaterialField.FIELD:
        is_portal = (batches["flags"] & FLAG_PORTAL != 0) & (batches["opaque6"] < count)
        found[BATCHES] = ReferringRows(BATCH.name, batches, "opaque6", is_portal, NONE)
    index = model.archive.find_type(PATH_GRAPH)
    if index is not None:
        entry = model.archive.entry(index)
        graph = path_graph.decode(model.payload(PATH_GRAPH), entry.attr1, entry.attr2)
        if not graph.tail and len(graph.nodes) == entry.attr1:
            found[PATH_GRAPH] = _of_field(PATH_NODE.name, graph.nodes, 0xFFFFFFFF, count)
    probes = model.rows(LIGHT_PROBES)
    if model.has(LIGHT_PROBES) and probes.nbytes == len(model.payload(LIGHT_PROBES)):
        found[LIGHT_PROBES] = _of_field(LIGHT_PROBE.name, probes, -1, count)
    return {table: it for table, it in found.items() if it.is_node.any()}


def references_of(model: Model, reading: Reading) -> Iterator[NodeReference]:
    """Yield all that refers to nodes in a model itself."""
    for table in referring_tables(model, reading).values():
        yield from table.references()


def _of_field(table: str, rows: Rows, none: int, count: int) -> ReferringRows:
    """Rows whose field ``node`` refers to nodes; to none if any of them refers to nothing."""
    nodes = rows["node"].astype(np.int64)
    is_node = (nodes >= 0) & (nodes < count)
    return ReferringRows(table, rows, "node", is_node & (is_node | (nodes == none)).all(), none)


def renumbered(model: Model, reading: Reading, targets: Targets) -> dict[int, bytes]:
    """Return the tables that refer to nodes with other numbers, by type, of those that differ."""
    found = {}
    for table, it in referring_tables(model, reading).items():
        rows, data = it.renumbered(targets).tobytes(), bytes(model.payload(table))
        found[table] = rows + data[len(rows) :]
    return {table: data for table, data in found.items() if data != model.payload(table)}
