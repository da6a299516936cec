"""What a model is opened with: its address, its reading, and what is used instead of what is found."""

from __future__ import annotations

from pathlib import Path

from viewer.dataclass import dataclass, replace
from viewer.model.clips import controller as controllers
from viewer.model.clips.guesses import with_movements
from viewer.model.convert.source import ModelSource
from viewer.model.game import game_folder
from viewer.model.game.game_folder import GameSource
from viewer.model.material import selectors
from viewer.model.material.lookup import MaterialLookup
from viewer.model.material.resolver import resolve
from viewer.model.material.selectors import WearTable
from viewer.model.mesh import draw_builder, reading
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.mesh.skeleton import Skeleton
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item


@dataclass(frozen=True, slots=True)
class Source:
    """A model's address and how to read it; a document is derived from it and from the files.

    Attributes
    ----------
    address
        Address of the model; its bytes come from a `FileStore`, including unsaved ones.
    reading
        Reading of the disputed fields.
    wear
        A wear table instead of the one in the same archive or folder.
    game
        The game folder whose libraries are used instead of those found above the model.
    set_game
        The game folder if none is found.
    is_strict
        Refuse the model if it has an error.
    control
        A controller instead of the one that the registry names, or the one of the model's stem.
    """

    address: Address
    reading: ReadingChoice = ReadingChoice.AUTO
    wear: Address | None = None
    game: Path | None = None
    set_game: Path | None = None
    is_strict: bool = False
    control: Address | None = None

    def find_game(self, library: FileStore) -> GameSource:
        """The game folder in which its names are looked up."""
        return game_folder.find(library, self.address.path, self.game, self.set_game)


def wears_of(library: FileStore, source: Source, model: Model) -> tuple[WearTable, ...]:
    """The requested wear table, or those next to the model: one, or one per layer of a terrain."""
    address = source.address
    if source.wear is not None:
        return (selectors.at(library, source.wear),)
    if model.variant is Variant.TERRAIN:
        return selectors.of_terrain(library, address)
    return (selectors.of_model(library, address),)


def model_of(library: FileStore, source: Source) -> ModelSource:
    """The model with its reading, materials and clips, as it is converted; raises `MshviewError`."""
    item, model = library.open(source.address), library.model(source.address)
    wears, game = wears_of(library, source, model), source.find_game(library)
    libraries = None if game.folder is None else MaterialLookup.of(library, game.folder)
    draws, skeleton = draw_builder.build(model), Skeleton(model)
    rows = wears[0].row_count
    choice = reading.choose(model, skeleton, draws, requested=source.reading, wear_rows=rows)
    materials = resolve(model, draws, choice, wears, libraries, game.problem, source.address)
    controller = controllers.of_model(library, source.address, game.folder, source.control)
    made = ModelSource(title_of(item), model, choice, materials, controller, libraries)
    channels = with_movements(controller.channels, made.animation)
    return replace(made, controller=replace(controller, channels=channels))


def title_of(item: Item) -> str:
    """The name of an entry or a file."""
    return item.entry.text if item.entry else item.address.name
