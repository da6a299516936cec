"""What refers to nodes, with the rows that they have now: rooms behind portals, path points, light probes.

Source: spec/msh.md 9, 12; spec/field-notes.md 2, 3.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from viewer.formats.msh import path_graph
from viewer.formats.msh.batches import FLAG_PORTAL
from viewer.formats.msh.nodes import NONE
from viewer.formats.msh.path_graph import LIGHT_PROBE
from viewer.formats.msh.tables import LIGHT_PROBES, PATH_GRAPH
from viewer.formats.record import Rows
from viewer.model.convert.building.order import NodeOrder
from viewer.model.convert.building.values import Losses
from viewer.model.convert.scene import Scene
from viewer.model.mesh.reading import MaterialField


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
            point_count, link_count, _ = self._attributes.get(PATH_GRAPH, (0, 0, 0))
            graph = path_graph.decode(made[PATH_GRAPH], point_count, link_count)
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
        losses.add(
            "rooms, path points and lights of nodes that are gone: {count}",
            sum(number not in self._rows and number != NONE for number in listed),
        )
        return [self._rows.get(number, gone) for number in listed]
