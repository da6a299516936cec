"""The nodes that turrets, guns and armour of a unit hang on, and the names of nodes.

Source: spec/field-notes.md 5.
Status: inferred.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from viewer.errors import MshviewError
from viewer.formats import units
from viewer.formats.units import ON_NODE, Unit
from viewer.model.mesh.reading import has_name_records
from viewer.model.references.targets import Target
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.place import Place


@dataclass(frozen=True, slots=True)
class Socket:
    """A node of the model of a component's parent, its name, and the label of what it takes.

    Name and label are empty if the node has none, or does not exist.
    """

    place: Place
    name: str = ""
    takes: str = ""


def sockets(library: FileStore, unit: Unit, models: Sequence[Target]) -> tuple[Socket | None, ...]:
    """The socket of each component whose model was looked up; None for parts that hang on no known model."""
    known = _KnownNodes(library)
    rows = unit.components[: len(models)]
    parents = units.parents_of(rows["child_count"].tolist())
    found: list[Socket | None] = []
    for row, parent in zip(rows, parents, strict=True):
        place = models[parent].place if parent >= 0 and int(row["class_id"]) in ON_NODE else None
        number = int(row["attachment"])
        found.append(None if place is None or number < 0 else known.socket(place.address, number))
    return tuple(found)


class _KnownNodes:
    """Names and labels of the nodes of models, each read once."""

    def __init__(self, library: FileStore) -> None:
        self._library = library
        self._nodes: dict[str, list[tuple[str, str]]] = {}

    def socket(self, address: str, number: int) -> Socket:
        """The socket of a node."""
        if address not in self._nodes:
            self._nodes[address] = [*_labels(self._library, address)]
        nodes = self._nodes[address]
        name, takes = nodes[number] if number < len(nodes) else ("", "")
        return Socket(Place(address, "nodes", number), name, takes)


def node_names(library: FileStore, address: str) -> tuple[str, ...]:
    """The name of each node of a model; none of a model that cannot be read."""
    return tuple(name for name, _takes in _labels(library, address))


def _labels(library: FileStore, address: str) -> Iterator[tuple[str, str]]:
    """Name and label of each node; none of a model that cannot be read."""
    try:
        model = library.model(Address.parse(address))
    except MshviewError:
        return
    from_records = has_name_records(model)
    names, takes = (read(from_records=from_records) for read in (model.node_names, model.node_takes))
    yield from zip(names, takes, strict=True)
