"""Tables of the files next to a model: its control points, damage and ground plan.

Source: spec/field-notes.md 2, 5, spec/msh.md 9.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
from msgspec import Struct, field

from viewer.errors import MshviewError
from viewer.formats.neighbors import control_points, damage, ground_plan
from viewer.formats.record import Record, Rows
from viewer.formats.text import decode
from viewer.model.mesh.row_tables import NamedRows
from viewer.model.store.address import CURRENT, Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.model.store.place import Place

CONTROL_POINTS: Final = "control_points.points"
DAMAGE: Final = "damage.nodes"
GROUND_POINTS: Final = "ground_plan.points"


class NeighborPart(NamedTuple):
    """A table of a neighbor: its path, and its first row among those of its parts."""

    path: str
    start: int


class NeighborRows(NamedRows, frozen=True, eq=False):
    """Rows of a neighbor: of one table, or of several tables of one record.

    Parameters
    ----------
    address
        Its address.
    parts
        Its tables.
    labels
        The name of each row; empty if rows have none.
    """

    rows: Rows
    record: Record
    address: Address = CURRENT
    parts: tuple[NeighborPart, ...] = ()
    labels: tuple[str, ...] = ()

    def place(self, row: int) -> Place:
        """The place of a row in the neighbor."""
        # Rings of 5 and 5 points start at 0 and 5: row 7 is row 2 of the second.
        part = max((it for it in self.parts if it.start <= row), key=lambda it: it.start)
        return Place(self.address, part.path, row - part.start)


class ModelNeighbors(Struct, frozen=True, eq=False):
    """The tables of the neighbors of a model, by name; those without rows are left out.

    Attributes
    ----------
    made_of
        What tells two revisions apart.
    """

    tables: Mapping[str, NeighborRows] = field(default_factory=lambda: MappingProxyType({}))
    made_of: tuple[int, ...] = ()


def neighbors_of(library: FileStore, model: Item) -> ModelNeighbors:
    """The neighbors of a model; what cannot be read is left out."""
    tables: dict[str, NeighborRows] = {}
    values: list[int] = []
    readers: tuple[tuple[str, Any, Callable[[Address, Any], NeighborRows]], ...] = (
        (".cpt", control_points, _control_points),
        (".ndp", damage, _damage),
        (".bas", ground_plan, _ground_plan),
    )
    for suffix, form, read in readers:
        with suppress(MshviewError):
            item = library.sibling(model, suffix)
            if item is not None:
                value = item.decoded(form.decode)
                table = read(item.address, value)
                # A decoded value is kept with its bytes and made anew with others, so its identity tells
                # revisions apart.
                values.append(id(value))
                tables |= {table.name: table} if len(table.rows) else {}
    return ModelNeighbors(MappingProxyType(tables), tuple(values))


def _control_points(address: Address, value: control_points.ControlPoints) -> NeighborRows:
    labels = tuple(decode(name) for name in value.names)
    record = control_points.POINT
    parts = (NeighborPart(record.name, 0),)
    return NeighborRows(CONTROL_POINTS, value.points, record, address, parts, labels)


def _damage(address: Address, value: damage.Damage) -> NeighborRows:
    record = damage.NODE_DAMAGE
    return NeighborRows(DAMAGE, value.rows, record, address, (NeighborPart(record.name, 0),))


def _ground_plan(address: Address, value: ground_plan.GroundPlan) -> NeighborRows:
    rings, record = [ring.point_rows for ring in value.rings], ground_plan.POINT
    # One start more than rings, the end, which zip leaves out.
    starts = np.cumsum([0, *map(len, rings)]).tolist()
    places = [
        f"{name}[{index}].{record.name}"
        for name, rows in ((ground_plan.INNER, value.inner), (ground_plan.OUTER, value.outer))
        for index in range(len(rows))
    ]
    parts = (NeighborPart(place, start) for place, start in zip(places, starts, strict=False))
    rows = np.concatenate(rings) if rings else record.new(0)
    return NeighborRows(GROUND_POINTS, rows, record, address, tuple(parts))
