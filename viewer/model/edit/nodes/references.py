"""What refers to nodes in a model, renumbered: rooms behind portals, points of the path graph, light probes.

Source: spec/msh.md 12, spec/field-notes.md 2, 3.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from viewer.errors import EditError
from viewer.formats.msh import path_graph
from viewer.formats.msh.batches import BATCH, FLAG_PORTAL
from viewer.formats.msh.extras import LIGHT_PROBE, PATH_NODE
from viewer.formats.msh.tables import BATCHES, LIGHT_PROBES, PATH_GRAPH
from viewer.formats.record import Rows
from viewer.model.edit.draft import Draft
from viewer.model.mesh.reading import MaterialField
from viewer.translation import Sentence

Targets = npt.NDArray[np.int64]
"""The new index of each old node, (n,) int64; `REMOVED` for one that is not there any more."""
REMOVED = -1


def renumbered(draft: Draft, targets: Targets) -> dict[int, bytes]:
    """Return the tables that refer to nodes with other numbers, by type, of those that differ.

    A table in which a row refers to no node at all is of another meaning, and is kept. Raises `EditError` if
    something refers to a removed node.
    """
    found = {BATCHES: _portals(draft, targets), PATH_GRAPH: _path_graph(draft, targets)}
    found[LIGHT_PROBES] = _light_probes(draft, targets)
    return {type_id: data for type_id, data in found.items() if data != draft.model.payload(type_id)}


def _portals(draft: Draft, targets: Targets) -> bytes:
    model = draft.model
    data = bytes(model.payload(BATCHES))
    if draft.reading.reading.material_field is not MaterialField.FIELD:
        return data
    rows = model.batches.copy()
    is_portal = (rows["flags"] & FLAG_PORTAL != 0) & (rows["opaque6"] < len(targets))
    _put(rows, "opaque6", np.flatnonzero(is_portal), targets, BATCH.name)
    return rows.tobytes() + data[rows.nbytes :]


def _path_graph(draft: Draft, targets: Targets) -> bytes:
    model = draft.model
    data = bytes(model.payload(PATH_GRAPH))
    index = model.archive.find_type(PATH_GRAPH)
    if index is None or not data:
        return data
    entry = model.archive.entry(index)
    graph = path_graph.decode(data, entry.attr1, entry.attr2)
    if graph.tail or len(graph.nodes) < entry.attr1:
        return data
    return _all(graph.nodes, targets, PATH_NODE.name) + data[graph.nodes.nbytes :]


def _light_probes(draft: Draft, targets: Targets) -> bytes:
    data = bytes(draft.model.payload(LIGHT_PROBES))
    rows = draft.model.rows(LIGHT_PROBES)
    return data if rows.nbytes != len(data) else _all(rows, targets, LIGHT_PROBE.name)


def _all(rows: Rows, targets: Targets, table: str) -> bytes:
    """The rows of a table renumbered, or as they are if one of them refers to no node."""
    renamed = rows.copy()
    nodes = rows["node"].astype(np.int64)
    if ((nodes >= 0) & (nodes < len(targets))).all():
        _put(renamed, "node", np.arange(len(rows)), targets, table)
    return renamed.tobytes()


def _put(rows: Rows, field: str, chosen: npt.NDArray[np.int64], targets: Targets, table: str) -> None:
    """Renumber a field of some rows; raises `EditError` for the first that refers to a removed node."""
    old = rows[field][chosen].astype(np.int64)
    new = targets[old]
    for at in np.flatnonzero(new == REMOVED)[:1].tolist():
        message = Sentence(
            "refers to node {node}, which would be removed; let it refer to another first", node=int(old[at])
        )
        raise EditError(message, table=table, index=int(chosen[at]), field=field)
    rows[field][chosen] = new
