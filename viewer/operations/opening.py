"""What a model is opened with: its address, its reading, and what is used instead of what is found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from viewer.dataclass import dataclass, replace
from viewer.model.clips import controller as controllers
from viewer.model.clips.controller import Controller
from viewer.model.clips.guesses import with_movements
from viewer.model.game import game_folder
from viewer.model.game.game_folder import GameSource
from viewer.model.material import selectors
from viewer.model.material.lookup import MaterialLookup
from viewer.model.material.resolver import resolve
from viewer.model.material.selectors import WearTable
from viewer.model.mesh import draw_builder, reading
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.mesh.skeleton import Skeleton
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item

if TYPE_CHECKING:
    from viewer.model.convert.source import ModelSource


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


@dataclass(frozen=True, slots=True, eq=False)
class ModelFiles:
    """A model with what other files say of it: all that is read before anything is made of it.

    Attributes
    ----------
    wears
        Its wear table, or one per layer of a terrain.
    libraries
        The materials and textures of its game; None without a game folder.
    """

    item: Item
    model: Model
    wears: tuple[WearTable, ...]
    game: GameSource
    libraries: MaterialLookup | None
    controller: Controller

    @classmethod
    def read(cls, library: FileStore, source: Source) -> ModelFiles:
        """What a source leads to; raises `MshviewError` if there is no model."""
        item = library.open(source.address)
        model, game = item.read_model(), source.find_game(library)
        wears = selectors.wears_of(library, item, model.variant, source.wear)
        libraries = None if game.folder is None else MaterialLookup.of(library, game.folder)
        controller = controllers.of_model(library, item, game.folder, source.control)
        return cls(item, model, wears, game, libraries, controller)

    def moving(self, animation: Animation) -> Controller:
        """The controller, whose channels move what the animation of the model does not."""
        channels = with_movements(self.controller.channels, animation)
        return replace(self.controller, channels=channels)

    def to_convert(self, requested: ReadingChoice) -> ModelSource:
        """The model in a reading with its materials and clips, as it is converted."""
        from viewer.model.convert.source import ModelSource  # noqa: PLC0415 only needed for conversions

        item, model, wears, libraries = self.item, self.model, self.wears, self.libraries
        draws, skeleton = draw_builder.build(model), Skeleton(model)
        rows = wears[0].row_count
        choice = reading.choose(model, skeleton, draws, requested=requested, wear_rows=rows)
        materials = resolve(model, draws, choice, wears, libraries, self.game.problem, item.address)
        made = ModelSource(title_of(item), model, choice, materials, libraries=libraries)
        return replace(made, controller=self.moving(made.animation))


def model_of(library: FileStore, source: Source) -> ModelSource:
    """The model with its reading, materials and clips, as it is converted; raises `MshviewError`."""
    return ModelFiles.read(library, source).to_convert(source.reading)


def title_of(item: Item) -> str:
    """The name of an entry or a file."""
    return item.entry.text if item.entry else item.address.name
