"""Sources of exports: models with materials, clips and explosions, and units; read alike by all exporters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import FormatError
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.options import Clips, Options
from viewer.model.convert.scene import Scene
from viewer.model.convert.source import ModelSource
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.operations.effects.explosions import explosions_of
from viewer.operations.opening import ModelFiles, OpenedModel, Source, model_of, title_of
from viewer.operations.units.units import parts_of
from viewer.progress import checkpoint
from viewer.translation import _

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
        source = self.source_of(item.address)
        parts = parts_of(self.library, item, source.find_game(self.library).folder, source.options.reading)
        if self.found_parts is not None:
            self.found_parts(item, parts)
        return unit_scene(self.library, item, parts, options, self)


def unit_scene(
    store: FileStore,
    item: Item,
    parts: Sequence[MountedPart],
    options: Options,
    read: Callable[[Item], ModelSource],
) -> Scene:
    """The scene of the parts of a unit that are drawn, on the nodes of what they hang on.

    Raises `MshviewError` if no part is drawn, or a model cannot be read.

    Parameters
    ----------
    read
        Reads the model in an item with its materials and clips.
    """
    from viewer.model.convert.joining import UnitScene, joined  # noqa: PLC0415 only units need it

    needed = _needed(parts)
    if not needed:
        message = _("no part of this unit can be exported; a unit is assembled in its game folder")
        raise FormatError(message, source=item.address)
    sources: dict[Address, ModelSource] = {}
    scenes: dict[int, UnitScene] = {}
    for part in parts:
        if part.component not in needed or part.model is None:
            continue
        checkpoint()
        if part.model not in sources:
            sources[part.model] = read(store.open(part.model))
        own = replace(options, nodes=None)
        if part.parent >= 0:
            own = replace(own, rest=0.0, clips=Clips.NONE)
        scene = scene_of(sources[part.model], own)
        above = None if part.parent < 0 else list(scenes).index(part.parent)
        made = UnitScene(part.key, scene if part.is_drawn else _empty(scene), above, part.socket or 0)
        scenes[part.component] = made
    return joined(title_of(item), [*scenes.values()], options)


def _needed(parts: Sequence[MountedPart]) -> frozenset[int]:
    """The components that are drawn, and those that these hang on."""
    found: set[int] = set()
    for part in reversed(parts):  # written depth first: what hangs on a part comes after it
        if part.model is None or part.matrix is None:
            continue
        if part.is_drawn or part.component in found:
            found |= {part.component, part.parent} - {-1}
    return frozenset(found)


def _empty(scene: Scene) -> Scene:
    """The nodes of a scene, which show nothing."""
    nodes = tuple(replace(node, cells={}) for node in scene.nodes)
    return replace(scene, nodes=nodes, meshes=(), materials=(), images=(), views=())
