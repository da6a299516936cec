"""Finding the wear table of a model: next to it, or where the user says.

Source: spec/materials.md 1, spec/land.md 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from viewer.errors import FormatError, MshviewError
from viewer.formats import wear
from viewer.model.store.address import STANDARD_INPUT, Address
from viewer.model.store.file_store import FileStore, Item
from viewer.model.store.place import Place
from viewer.translation import Sentence

SUFFIX: Final = ".wea"
TERRAIN: Final = ("Land1.msh", "Land2.msh")
"""Stems of the wear tables of a terrain, one per layer."""


@dataclass(frozen=True, slots=True)
class WearTable:
    """A wear table; if there is none, `table` is None and `problem` says why.

    `place` is the place of the error in a table that cannot be read, otherwise None.
    """

    source: str
    table: wear.Wear | None = None
    problem: str = ""
    place: Place | None = None

    @property
    def row_count(self) -> int | None:
        """Number of rows in the table, or None if there is no table."""
        return None if self.table is None else len(self.table.materials)


NOWHERE: Final = WearTable("", problem=Sentence("no wear table is known"))


def of_model(library: FileStore, model: Address) -> WearTable:
    """The wear table with the stem of a model in the same archive or folder."""
    try:
        item = library.sibling(model, SUFFIX)
    except MshviewError as error:
        return WearTable(
            str(model), problem=Sentence("the wear table cannot be read: {error}", error=error.text)
        )
    if model == Address(STANDARD_INPUT):
        problem = Sentence("standard input has no wear table next to it; --wear names one")
        return WearTable(str(model), problem=problem)
    if item is None:
        name, container = (
            library.sibling_name(model, SUFFIX),
            model.parent if model.entries else model.path.parent,
        )
        problem = Sentence("there is no wear table {name} in {container}", name=name, container=container)
        return WearTable(str(model), problem=problem)
    return _read(item)


def of_terrain(library: FileStore, terrain: Address) -> tuple[WearTable, ...]:
    """The wear tables of a terrain, one per layer."""
    return tuple(of_model(library, _neighbour(terrain, name)) for name in TERRAIN)


def at(library: FileStore, address: Address) -> WearTable:
    """The wear table at an address; raises `MshviewError` if there is none."""
    return _read(library.open(address))


def _neighbour(address: Address, name: str) -> Address:
    return address.parent.child(name) if address.entries else Address(address.path.with_name(name))


def _read(item: Item) -> WearTable:
    source = str(item.address)
    try:
        return WearTable(source, item.once(wear.decode, lambda: wear.decode(item.data)))
    except FormatError as error:
        return WearTable(
            source,
            problem=Sentence("{source} cannot be read: {error}", source=source, error=error.text),
            place=Place.of(source, error),
        )
