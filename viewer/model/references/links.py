"""The links of one payload: where each of its names and row numbers leads.

For units, the nodes that turrets, guns and armour hang on, and the names of nodes.

Source: spec/field-notes.md 5.
Status: inferred.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from msgspec import Struct, field

from viewer.errors import MshviewError
from viewer.formats import units
from viewer.formats.part import Part, find
from viewer.formats.record import Field, Record
from viewer.formats.text import fold
from viewer.formats.units import ON_NODE, Unit
from viewer.model.game.registry import MODEL_SUFFIX, NEIGHBORS, Game
from viewer.model.mesh.reading import has_name_records
from viewer.model.references.targets import ResourceName, Target, Targets, name_in, names_in
from viewer.model.references.users import TERRAIN_MODEL, TERRAIN_WEARS
from viewer.model.store.address import CURRENT, Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.model.store.place import Place

MOST_STORED: Final = 50_000
"""Stored names of a payload that are looked at."""
MOST_NAMES: Final = 20_000
"""Different names of a payload that are looked up."""


class Links(Struct, frozen=True):
    """Targets by name. It reads no file, so panels can ask it.

    Attributes
    ----------
    address
        The address of the payload.
    root
        Its parts, or None.
    targets
        The target of each name.
    model
        The address of the model whose rows its numbers count, or None.
    """

    address: Address
    root: Part | None = None
    targets: Mapping[ResourceName, Target] = field(default_factory=lambda: MappingProxyType({}))
    model: Address | None = None

    def of_name(self, record: Record, row: np.void, declared: Field) -> Target | None:
        """The target of the name in a field; None if the field names nothing, or was not looked up."""
        name = name_in(record, row, declared)
        return None if name is None else self.targets.get(name)

    def of_numbers(self, declared: Field, value: Any) -> Iterator[Place]:
        """The rows that a field numbers: of its own payload, else of the model it belongs to."""
        if declared.refers_to is None:
            return
        part = None if self.root is None else find(self.root, declared.refers_to)
        for number in np.asarray(value).ravel().tolist():
            # 0xFFFF for none is no row, even of a table with more rows than that.
            if declared.none is not None and int(number) == declared.none:
                continue
            # A table of the payload itself goes first: "nodes" of a model are its own, those of a .cpt are
            # the model's.
            if part is not None and 0 <= number < part.count:
                yield Place(self.address, declared.refers_to, int(number))
            elif part is None and self.model is not None and number >= 0:
                yield Place(self.model, declared.refers_to, int(number))


NO_LINKS: Final = Links(CURRENT)
"""The links of a payload without parts."""


def links_of(library: FileStore, item: Item, root: Part, targets: Targets) -> Links:
    """The links of a payload: the targets of its names, and the model that it belongs to."""
    found: dict[ResourceName, Target] = {}
    for stored in islice(names_in(root), MOST_STORED):
        if len(found) >= MOST_NAMES:
            break
        if stored.name not in found:
            found[stored.name] = targets.find(stored.name)
    return Links(item.address, root, MappingProxyType(found), _model_of(library, item, targets))


def _model_of(library: FileStore, item: Item, targets: Targets) -> Address | None:
    """The address of the model with the same stem, or of one of an object that names both, or None."""
    if not fold(item.name).endswith(NEIGHBORS):
        return None
    is_terrain = fold(item.name) in TERRAIN_WEARS
    try:
        if is_terrain:
            sibling = library.neighbor(item, TERRAIN_MODEL)
        else:
            sibling = library.sibling(item, MODEL_SUFFIX.decode())
    except MshviewError:
        return None
    if sibling is not None:
        return sibling.address
    return None if targets.game is None else _model_of_object(targets.game, item.name, targets)


def _model_of_object(game: Game, name: bytes, targets: Targets) -> Address | None:
    """The model of the first object whose references include a payload."""
    registry = game.registry
    if registry is None:
        return None
    for index in range(len(registry.archive.entries)):
        references = registry.references(index)
        # Names in the registry are padded fields, and the game ignores the case of A to Z (spec/objects.md
        # 2).
        if not any(fold(it.resource.strip()) == fold(name) for it in references):
            continue
        key = registry.archive.entries[index].name
        found = targets.model(key).place
        if found is not None:
            return found.address
    return None


class Socket(Struct, frozen=True):
    """A node of the model of a component's parent, its name, and its socket tag.

    Both are empty if the node has none, or does not exist.
    """

    place: Place
    name: str = ""
    tag: str = ""


def sockets(library: FileStore, unit: Unit, models: Sequence[Target]) -> tuple[Socket | None, ...]:
    """The socket of each component whose model was looked up; None for parts that hang on no known model."""
    known = _KnownNodes(library)
    rows = unit.components[: len(models)]
    parents = units.parents_of(rows["child_count"].tolist())
    found: list[Socket | None] = []
    for row, parent in zip(rows, parents, strict=True):
        # Only turrets, guns and armour hang on a node; for other classes the number means a component of the
        # controller (spec/field-notes.md 5).
        place = models[parent].place if parent >= 0 and int(row["class_id"]) in ON_NODE else None
        number = int(row["attachment"])
        found.append(None if place is None or number < 0 else known.socket(place.address, number))
    return tuple(found)


class _KnownNodes:
    """Names and labels of the nodes of models, each read once."""

    def __init__(self, library: FileStore) -> None:
        self._library = library
        self._nodes: dict[Address, list[tuple[str, str]]] = {}

    def socket(self, address: Address, number: int) -> Socket:
        """The socket of a node."""
        if address not in self._nodes:
            self._nodes[address] = [*_labels(self._library, address)]
        nodes = self._nodes[address]
        name, tag = nodes[number] if number < len(nodes) else ("", "")
        return Socket(Place(address, "nodes", number), name, tag)


def node_names(library: FileStore, address: Address) -> tuple[str, ...]:
    """The name of each node of a model; none of a model that cannot be read."""
    return tuple(name for name, _tag in _labels(library, address))


def _labels(library: FileStore, address: Address) -> Iterator[tuple[str, str]]:
    """The name and the label of each node; none of a model that cannot be read."""
    try:
        model = library.open(address).read_model()
    except MshviewError:
        return
    from_records = has_name_records(model)
    names, tags = (read(from_records=from_records) for read in (model.node_names, model.node_socket_tags))
    yield from zip(names, tags, strict=True)
