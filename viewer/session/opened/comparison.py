"""Two payloads that are compared: what they show, and what differs."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from viewer.errors import MshviewError
from viewer.formats.units import Unit
from viewer.model.game import game_folder
from viewer.model.kinds.registry import MODEL, UNIT, kind_of
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.disk import BACKUP_SUFFIX, UnsavedFiles
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.operations.comparing import FileComparison
from viewer.operations.opening import Source
from viewer.operations.reading_options import ReadingOptions
from viewer.session.opened.assembled_unit import AssembledUnit
from viewer.session.opened.document import Document
from viewer.translation import _


class ComparedSide(Struct, frozen=True):
    """A side of a comparison.

    Attributes
    ----------
    address
        Where it is.
    is_saved
        As it is on the disk, without unsaved changes.
    is_backup
        As the file was before it was first saved.
    """

    address: Address
    is_saved: bool = False
    is_backup: bool = False

    @property
    def name(self) -> str:
        """The title on screen: the name, and whether it is the file on the disk or its backup."""
        name, path = self.address.name, self.address.path
        if self.is_backup and self.address.entries:
            return _("{name} in {file}", name=name, file=path.name + BACKUP_SUFFIX)
        if self.is_backup:
            return name + BACKUP_SUFFIX
        return _("{name} on the disk", name=name) if self.is_saved else name

    def store(self, library: FileStore) -> FileStore:
        """The files in which it is read; raises `MshviewError` if there is no backup.

        A backup is read under the name of the file, as names tell what some files are.
        """
        path = self.address.path
        if self.is_backup:
            backup = path.with_name(path.name + BACKUP_SUFFIX)
            data = FileStore().file(backup)
            return FileStore(unsaved=UnsavedFiles.of(library.unsaved, {path: data}))
        return FileStore() if self.is_saved else library.snapshot()


def titles(sides: tuple[ComparedSide, ComparedSide]) -> tuple[str, str]:
    """The titles of both on screen: their names, equal ones with the archives and folders that differ."""
    first, second = sides
    if first.name != second.name or first.address == second.address:
        return first.name, second.name
    parts = [[*side.address.path.parts, *side.address.entries] for side in sides]
    depth = next(it for it in range(2, 2 + max(map(len, parts))) if parts[0][-it:] != parts[1][-it:])
    names = [
        _("{name} in {file}", name=side.name, file="/".join(path[-depth:-1]))
        for side, path in zip(sides, parts, strict=True)
    ]
    return names[0], names[1]


def has_backup(address: Address) -> bool:
    """Whether the file of an address has a backup."""
    path = address.path
    return path.with_name(path.name + BACKUP_SUFFIX).is_file()


class OpenedComparison(Struct, frozen=True, eq=False):
    """Two payloads with what differs.

    Attributes
    ----------
    sides
        What was compared.
    units
        What is drawn of each: the parts of a unit, or a model as the only part; None for anything else.
    found
        What differs; None if that cannot be said, with the reason.
    """

    sides: tuple[ComparedSide, ComparedSide]
    units: tuple[AssembledUnit | None, AssembledUnit | None] = (None, None)
    found: FileComparison | None = None
    problem: str = ""

    @classmethod
    def read(
        cls,
        library: FileStore,
        sides: tuple[ComparedSide, ComparedSide],
        requested: ReadingChoice,
        game: Path | None,
    ) -> OpenedComparison:
        """Read and compare two payloads; why that fails is in the result.

        Parameters
        ----------
        game
            The game folder for files outside any; by default the one that the other payload is in.
        """
        try:
            stores = [side.store(library) for side in sides]
            items = [store.open(side.address) for store, side in zip(stores, sides, strict=True)]
            found = (game_folder.find(library, side.address.path, None, game).folder for side in sides)
            game = next(filter(None, found), None)
            shown = [_shown(store, item, requested, game) for store, item in zip(stores, items, strict=True)]
        except MshviewError as error:
            return cls(sides, problem=error.text)
        units = shown[0], shown[1]
        try:
            return cls(sides, units, FileComparison.of(items[0], items[1], requested))
        except MshviewError as error:
            return cls(sides, units, problem=error.text)


def _shown(store: FileStore, item: Item, requested: ReadingChoice, game: Path | None) -> AssembledUnit | None:
    """The unit that is drawn of an item; None if nothing of it can be drawn."""
    kind = kind_of(item)
    try:
        if kind is MODEL:
            return AssembledUnit.of_model(
                Document.open(store, Source(item.address, ReadingOptions(requested, set_game=game)))
            )
        if kind is UNIT and isinstance(kind.decode(item.data, None), Unit):
            own = game_folder.find(store, item.address.path, None, game).folder
            return AssembledUnit.at(store, item, own, requested)
    except MshviewError:
        return None
    return None


class ComparisonState(Struct, frozen=True):
    """The comparison in the window.

    Attributes
    ----------
    first
        What was chosen to be compared with something else; None if nothing is.
    sides
        What is compared; None if the window is closed.
    shown
        What was found of it; None while it is read.
    """

    first: Address | None = None
    sides: tuple[ComparedSide, ComparedSide] | None = None
    shown: OpenedComparison | None = None
