"""The source of an opened model: its address, its reading, and the neighbors given instead of found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.diagnostics import Diagnostic, refuse_errors
from viewer.errors import reading_from
from viewer.model.clips import found_controller
from viewer.model.clips.found_controller import FoundController
from viewer.model.game.game_folder import NO_GAME, GameSource
from viewer.model.game.part_names import PartNames
from viewer.model.material import selectors
from viewer.model.material.lookup import MaterialLookup
from viewer.model.material.materials import Materials
from viewer.model.material.resolver import resolve
from viewer.model.material.selectors import WearTable
from viewer.model.mesh import cell_names, draw_builder, reading, redraw
from viewer.model.mesh.cell_names import CellNames
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.pose.animation import Animation
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.model.mesh.reading import ResolvedReading
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.operations.reading_options import USUAL, ReadingOptions
from viewer.progress import checkpoint

if TYPE_CHECKING:
    from viewer.model.clips.controller import Controller
    from viewer.model.convert.source import ModelSource


class Source(Struct, frozen=True):
    """A model's address and how to read it; a document is derived from it and from the files.

    Attributes
    ----------
    address
        Address of the model; its bytes come from a `FileStore`, including unsaved ones.
    options
        How it is read.
    """

    address: Address
    options: ReadingOptions = USUAL

    def find_game(self, library: FileStore) -> GameSource:
        """The game folder in which its names are looked up."""
        return self.options.find_game(library, self.address.path)


class ModelFiles(Struct, frozen=True, eq=False):
    """A model with what other files say of it: all that is read before anything is made of it.

    Attributes
    ----------
    wears
        Its wear table, or the two of a terrain.
    libraries
        The materials and textures of its game; None without a game folder.
    found
        Its controller.
    called
        What the game calls the part whose model it is: its name on screen and its code; empty if unknown.
    """

    item: Item
    model: Model
    wears: tuple[WearTable, ...]
    game: GameSource
    libraries: MaterialLookup | None
    found: FoundController
    called: str = ""

    @classmethod
    def read(cls, library: FileStore, source: Source) -> ModelFiles:
        """The model of a source; raises `MshviewError` if there is none."""
        item = library.open(source.address)
        model, game = item.read_model(), source.find_game(library)
        wears = selectors.wears_of(library, item, model.variant, source.options.wear, source.options.ground)
        libraries = None if game.folder is None else MaterialLookup.of(library, game.folder)
        found = found_controller.find(library, item, game.folder, source.options.control)
        holder = item.holder.name if item.holder else b""
        called = str(PartNames.of(library, game.folder).of_model(holder, item.name) or "")
        return cls(item, model, wears, game, libraries, found, called)

    def moving(self, animation: Animation) -> Controller:
        """The controller, whose channels move what the animation of the model does not."""
        from viewer.model.clips.controller import of_found  # noqa: PLC0415 what is only printed plays nothing
        from viewer.model.clips.guesses import with_movements  # noqa: PLC0415

        controller = of_found(self.found)
        return replace(controller, channels=with_movements(controller.channels, animation))

    def opened(self, requested: ReadingChoice, *, is_checked: bool = True) -> OpenedModel:
        """The model in a reading; raises `FormatError`."""
        address = self.item.address
        with reading_from(address):
            opened = OpenedModel.made_of(
                address,
                self.model,
                requested,
                self.wears,
                self.libraries,
                self.game,
                is_checked=is_checked,
            )
        return replace(opened, called=self.called)

    def to_convert(self, opened: OpenedModel) -> ModelSource:
        """The model that was opened with its materials and clips, as it is converted."""
        made = opened.to_convert(title_of(self.item), self.moving(opened.animation))
        return replace(made, libraries=self.libraries)


class OpenedModel(Struct, frozen=True, eq=False):
    """A model in its reading, with its materials and what is wrong with it: all that is printed of it.

    Attributes
    ----------
    address
        Address of the model, as text.
    model, choice, skeleton, animation, draws
        The tables, and their meaning in the chosen reading.
    names
        One per node, empty if absent.
    socket_tags
        Socket tag of each node: the prefix of the parts that a socket accepts; empty if absent.
    triangle_counts
        Triangles stored for each cell, (3, 5) int64.
    diagnostics
        The diagnostics of the model.
    materials
        The materials of its batches.
    game
        The game folder that names were looked up in.
    called
        As in `ModelFiles`; empty if the model was made of its tables alone.
    is_checked
        False for a moment after an edit: the diagnostics and the reading are those from before it.
    """

    address: Address
    model: Model
    choice: ResolvedReading
    skeleton: Skeleton
    animation: Animation
    draws: Draws
    names: tuple[str, ...]
    socket_tags: tuple[str, ...]
    triangle_counts: npt.NDArray[np.int64]
    diagnostics: tuple[Diagnostic, ...]
    materials: Materials
    game: GameSource
    called: str
    is_checked: bool = True

    @classmethod
    def made_of(  # noqa: PLR0913 all that a model is opened with
        cls,
        address: Address,
        model: Model,
        requested: ReadingChoice = ReadingChoice.AUTO,
        wears: Sequence[WearTable] = (selectors.NOWHERE,),
        libraries: MaterialLookup | None = None,
        game: GameSource = NO_GAME,
        before: OpenedModel | None = None,
        *,
        is_checked: bool = True,
    ) -> OpenedModel:
        """A model with its wear tables and its game's libraries.

        Parameters
        ----------
        before
            Another one; if it has the same model, fields derived from the model alone are shared.
        is_checked
            Whether its diagnostics are wanted, which take longer than all else.
        """
        if before is not None and before.model is model:
            skeleton, draws = before.skeleton, before.draws
        else:
            skeleton = Skeleton(model)
            draws = draw_builder.build(model) if before is None else before.draws_of(model)
        checkpoint()
        if before is not None and before.model is model and before.is_checked_for(requested, wears):
            choice, animation, found = before.choice, before.animation, [*before.diagnostics]
        else:
            choice = reading.choose(model, skeleton, draws, requested=requested, wear_rows=wears[0].row_count)
            animation = Animation(model, skeleton, choice.reading.quaternion_order)
            checkpoint()
            found = _checked(model, choice, wears) if is_checked else []
        has_records = choice.reading.has_name_records
        return OpenedModel(
            address=address,
            model=model,
            choice=choice,
            skeleton=skeleton,
            animation=animation,
            draws=draws,
            names=model.node_names(from_records=has_records),
            socket_tags=model.node_socket_tags(from_records=has_records),
            triangle_counts=draws.triangle_counts(),
            diagnostics=tuple(found),
            materials=resolve(model, draws, choice, wears, libraries, game.problem, address),
            game=game,
            called="",
            is_checked=is_checked,
        )

    def draws_of(self, model: Model) -> Draws:
        """The draws of another state of its model, which share what is the same."""
        return redraw.rebuild(model, self.model, self.draws)

    def is_checked_for(self, requested: ReadingChoice, wears: Sequence[WearTable]) -> bool:
        """Whether a reading and these wear tables give the same choice and diagnostics for its model."""
        rows = None if self.materials.wear_source is None else len(self.materials.wear_names)
        has_same_wear = len(wears) == 1 and wears[0].row_count == rows
        return self.is_checked and has_same_wear and self.choice.requested is requested

    def to_convert(self, name: str, controller: Controller) -> ModelSource:
        """The model under a name as it is exported, or compared with what is imported."""
        from viewer.model.convert.source import ModelSource  # noqa: PLC0415 only needed for conversions

        return ModelSource(name, self.model, self.choice, self.materials, controller)

    @property
    def cell_names(self) -> CellNames:
        """The names of LODs and groups."""
        return cell_names.of_model(self.model, self.choice.requested)


def _checked(model: Model, choice: ResolvedReading, wears: Sequence[WearTable]) -> list[Diagnostic]:
    """Findings about a model in a reading with its wear tables."""
    from viewer.model.checks import models  # noqa: PLC0415 what is only converted is not checked
    from viewer.model.checks.materials import selected_by_faces, selected_rows  # noqa: PLC0415

    found = models.check_model(model)
    if (wear_rows := wears[0].row_count) is not None:
        found += selected_rows(model.batches, choice.reading.material_field, wear_rows)
    if model.variant is Variant.TERRAIN and len(wears) == 2:
        found += selected_by_faces(model.faces, *(it.row_count for it in wears))
    return found


def open_model(library: FileStore, source: Source) -> tuple[ModelFiles, OpenedModel]:
    """Read a model and resolve its materials; raises `MshviewError` if there is no model."""
    files = ModelFiles.read(library, source)
    opened = files.opened(source.options.reading)
    if source.options.is_strict:
        refuse_errors(opened.address, opened.diagnostics)
    return files, opened


def model_of(
    library: FileStore, source: Source, found: Callable[[ModelFiles, OpenedModel], None] | None = None
) -> ModelSource:
    """The model with its reading, materials and clips, as it is converted; raises `MshviewError`.

    `found` gets the model with what is wrong with it; without it the model is not checked.
    """
    if found is None:
        files = ModelFiles.read(library, source)
        opened = files.opened(source.options.reading, is_checked=False)
    else:
        files, opened = open_model(library, source)
        found(files, opened)
    return files.to_convert(opened)


def title_of(item: Item) -> str:
    """The name of an entry or a file."""
    return item.entry.text if item.entry else item.address.name
