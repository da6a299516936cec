"""A unit as one scene, which the formats of other programs hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from viewer.dataclass import replace
from viewer.errors import FormatError
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.joining import UnitScene, joined
from viewer.model.convert.scene import Clips, Options, Scene
from viewer.model.convert.source import ModelSource
from viewer.model.game.assembly import MountedPart
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.operations.opening import title_of
from viewer.progress import checkpoint
from viewer.translation import _

STILL = _("the chassis alone moves: the other parts are as they are at time 0, on their sockets")


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
    needed = _needed(parts)
    if not needed:
        message = _("no part of this unit can be exported; a unit is assembled in its game folder")
        raise FormatError(message, source=str(item.address))
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
