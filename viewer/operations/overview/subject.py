"""An entry as the columns of an overview need it: what is read of it is read at the first use."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Final

from msgspec import Struct

from viewer.errors import MshviewError
from viewer.formats.neighbors.control import Control
from viewer.formats.record import ENTRY
from viewer.formats.text import fold, until_nul
from viewer.formats.wear import Wear
from viewer.model.clips import found_controller
from viewer.model.clips.controller import Controller, of_found, read_controller
from viewer.model.game.part_names import PartName
from viewer.model.game.registry import Game, find_entry
from viewer.model.kinds.entry_kinds import entry_kind
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import EFFECT, MODEL, WEAR, by_id
from viewer.model.material import selectors
from viewer.model.material.lookup import MaterialLookup
from viewer.model.material.materials import FoundIn
from viewer.model.mesh import draw_builder
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model
from viewer.model.references.targets import ResourceName, names_in
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item

CONTROLLER: Final = by_id("control")
DAMAGE: Final = by_id("damage")
DAMAGE_SUFFIX: Final = ".ndp"
EFFECTS: Final = b"effects.rlb"
"""The archive of the game's effects: what a name in it stands for if the archive is not there."""


class GameNames:
    """A game folder in which names are looked up, by one process; every answer is kept.

    Parameters
    ----------
    store
        Where its files are read.
    folder
        The folder, or None.
    """

    def __init__(self, store: FileStore, folder: Path | None) -> None:
        self.folder = folder
        self._game = None if folder is None else Game(folder.absolute(), store)
        self._materials = None if folder is None else MaterialLookup.of(store, folder)
        self._spelled: dict[Address, str] = {}
        self._are_effects: dict[tuple[bytes, bytes], bool] = {}

    def spelled(self, address: Address) -> str:
        """An address from the game folder on, or from the folder of its file without one."""
        if address not in self._spelled:
            path = address.path.absolute()
            is_below = self.folder is not None and path.is_relative_to(self.folder.absolute())
            base = self.folder.absolute() if is_below and self.folder else path.parent
            self._spelled[address] = str(Address(path.relative_to(base), address.entries))
        return self._spelled[address]

    def is_effect(self, archive: bytes, name: bytes) -> bool:
        """Whether a name in an archive is that of an effect; of what is missing the archive decides."""
        key = fold(archive.strip()), fold(name.strip())
        if key not in self._are_effects:
            container = self._game.archive(archive) if self._game else None
            index = None if container is None else find_entry(container, name)
            if container is None or index is None:
                self._are_effects[key] = key[0] == EFFECTS
            else:
                self._are_effects[key] = entry_kind(container, index) == EFFECT.id
        return self._are_effects[key]

    def textures(self, material: bytes) -> frozenset[bytes]:
        """The textures that a material of the game names; none of one that is missing."""
        if self._materials is None:
            return frozenset()
        found = self._materials.material(material)
        is_it = found.found is FoundIn.NAME and found.stored is not None
        return texture_names(found.stored) if is_it else frozenset()


def texture_names(material: object) -> frozenset[bytes]:
    """The names in the phases of a decoded material, each once in any case."""
    phases = getattr(material, "phases", ())
    names = (fold(until_nul(bytes(it["texture"])).strip()) for it in phases)
    return frozenset(filter(None, names))


class EntrySubject(Struct, frozen=True, eq=False, dict=True):
    """A file or an entry.

    Parameters
    ----------
    item, kind
        Its bytes, and what they are.
    game
        Where names are looked up.
    cell
        The LOD and the group whose triangles are counted.
    called
        What the game calls it; None if it has no name on screen.
    problems
        Its errors and warnings; None if they were not looked for, or nothing checks its kind.
    """

    store: FileStore
    item: Item
    kind: Kind
    game: GameNames
    cell: tuple[int, int] = (0, 0)
    called: PartName | None = None
    problems: int | None = None

    @property
    def archive(self) -> str | None:
        """The archive that it is in, as `GameNames.spelled` gives it; None for a file."""
        address = self.item.address
        return self.game.spelled(address.parent) if address.entries else None

    @cached_property
    def model(self) -> Model | None:
        """The model, if it is one; raises `FormatError`."""
        return self.item.read_model() if self.kind is MODEL else None

    @cached_property
    def draws(self) -> Draws | None:
        """The draws of the model."""
        return None if self.model is None else draw_builder.build(self.model)

    @cached_property
    def wears(self) -> tuple[Wear, ...]:
        """The model's own wear table, or those next to it; raises `FormatError` for its own."""
        if self.kind is WEAR:
            decoded: Wear = self.kind.read(self.item)
            return (decoded,)
        if self.model is None:
            return ()
        found = selectors.wears_of(self.store, self.item, self.model.variant)
        return tuple(it.table for it in found if it.table is not None)

    @property
    def own_textures(self) -> frozenset[bytes]:
        """The textures that a material names; raises `FormatError`."""
        return texture_names(self.kind.read(self.item))

    @cached_property
    def controller(self) -> Controller | None:
        """The controller, or that of the model; None if there is none that can be read."""
        if self.kind is CONTROLLER:
            decoded: Control = self.kind.read(self.item)
            return read_controller(self.item.address, decoded)
        if self.model is None:
            return None
        found = found_controller.find(self.store, self.item, self.game.folder)
        return None if found.decoded is None else of_found(found)

    @property
    def started(self) -> set[tuple[bytes, bytes]]:
        """Archives and names of the effects that the controller starts, in lower case."""
        started = () if self.controller is None else self.controller.started
        return {(fold(it.archive.strip()), fold(it.name.strip())) for it in started}

    @cached_property
    def names(self) -> set[ResourceName]:
        """The names in the payload, and for a model those in its controller and its damage table."""
        if self.model is None:
            return set(_names(self.kind, self.item))
        found: set[ResourceName] = set()
        with suppress(MshviewError):
            address = self.controller.address if self.controller else None
            found |= set(_names(CONTROLLER, self.store.open(address)) if address else ())
        with suppress(MshviewError):
            damage = self.store.sibling(self.item, DAMAGE_SUFFIX)
            found |= set(_names(DAMAGE, damage) if damage else ())
        return found

    @property
    def effects(self) -> set[tuple[bytes, bytes]]:
        """Archives and names of the effects that it names, in lower case."""
        named = {(fold(it.archive), fold(it.name)) for it in self.names if it.kind == ENTRY}
        return {it for it in named | self.started if self.game.is_effect(*it)}


def _names(kind: Kind, item: Item) -> list[ResourceName]:
    return [it.name for it in names_in(kind.parts_in(item))]
