"""Sources of exports: models with materials, clips and explosions, and units; read alike by all exporters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from viewer.model.convert.options import Options
from viewer.model.convert.scene import Scene
from viewer.model.convert.source import ModelSource
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.operations.explosions import explosions_of
from viewer.operations.opening import ModelFiles, OpenedModel, Source, model_of
from viewer.operations.units import parts_of

if TYPE_CHECKING:
    from viewer.model.game.assembly import MountedPart


def _nothing_known(_item: Item) -> ModelSource | None:
    """Knows no model."""
    return None


class SourceReader(Struct, frozen=True, eq=False):
    """Reads what is exported.

    Attributes
    ----------
    library
        The files, with unsaved bytes laid over them.
    source_of
        How the model, or the models of the unit, at an address are read.
    known
        The models that need not be read, as those that are open.
    found
        Gets each model that is read, with what is wrong with it; without it none is checked.
    found_parts
        Gets the parts of each unit.
    """

    library: FileStore
    source_of: Callable[[Address], Source]
    known: Callable[[Item], ModelSource | None] = _nothing_known
    found: Callable[[ModelFiles, OpenedModel], None] | None = None
    found_parts: Callable[[Item, tuple[MountedPart, ...]], None] | None = None

    def __call__(self, item: Item) -> ModelSource:
        """The model in an item as it is converted; raises `MshviewError`."""
        source = self.known(item)
        if source is None:
            source = model_of(self.library, self.source_of(item.address), self.found)
        return replace(source, explosions=explosions_of(self.library, item))

    def unit(self, item: Item, options: Options) -> Scene:
        """The scene of the unit in an item; raises `MshviewError`."""
        from viewer.operations.exporting import unit_scene  # noqa: PLC0415 only units need it

        source = self.source_of(item.address)
        parts = parts_of(self.library, item, source.find_game(self.library).folder, source.options.reading)
        if self.found_parts is not None:
            self.found_parts(item, parts)
        return unit_scene(self.library, item, parts, options, self)
