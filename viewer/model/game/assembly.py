"""Units assembled: where the model of each component is, in the space of the unit.

A part hangs on a node of the model of the component above it, its socket. The root of the part takes the
place of that node: ``mount = world(socket) * local(part root)^-1`` leads from the model space of the part to
that of its parent, both at time 0. The chassis, which hangs on nothing, is where the unit is.

For classes other than turret, armour and gun the number of the attachment is a slot of the parent's
controller, whose node no source states. Where the node of that number is a socket (``Base_*``, without
geometry) it is taken, as a guess.

Source: spec/objects.md 2, 3; spec/field-notes.md 5.
Status: inferred.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from viewer.errors import MshviewError
from viewer.formats.text import decode, fold, until_nul
from viewer.formats.units import ON_NODE, Unit
from viewer.geometry.transforms import Doubles
from viewer.model.game.part_names import PartNames
from viewer.model.game.registry import MOST_OBJECTS, Game, Outcome, existing
from viewer.model.game.sockets import fits
from viewer.model.mesh import draw_builder, reading
from viewer.model.mesh.pose.animation import Animation, Pose
from viewer.model.mesh.pose.skeleton import Skeleton, sockets
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.progress import checkpoint
from viewer.translation import _, translated

# The letters of a type as a word, the first in its lowest byte (spec/nres.md 1.2).
EXTERNAL: Final = int.from_bytes(b"EXTO", "little")
"""Type of the registry entries whose parts the game draws."""
INTERNAL: Final = int.from_bytes(b"INTO", "little")
"""Type of those inside of a unit, which it does not draw."""


class MountedPart(Struct, frozen=True, eq=False):
    """A component of a unit with its model, and where that is.

    Attributes
    ----------
    component, parent
        Rows of the unit; the parent is -1 for one that hangs on nothing.
    key
        Its object in the registry.
    called
        What the game calls it: its name on screen and its code; empty if that is not known.
    outcome
        What the registry leads to.
    model
        The address of its model; None without one.
    socket, socket_name, socket_tag
        The node of the parent's model that it hangs on; None if there is no such node.
    mount
        ``parent_from_part`` at time 0, (4, 4); None for a root, and if anything of it is missing.
    matrix
        ``unit_from_part`` at time 0, (4, 4); None if the place is unknown.
    is_drawn
        Whether the game draws it: an external part with a known place. A root is drawn unless it is internal:
        a building or a creature that carries parts is an object of its own.
    is_guess
        Whether the socket is our guess.
    problem
        Why there is no model or no place; empty if there are both.
    """

    component: int
    parent: int
    key: str
    outcome: Outcome
    model: Address | None = None
    socket: int | None = None
    socket_name: str = ""
    mount: Doubles | None = None
    matrix: Doubles | None = None
    is_drawn: bool = False
    is_guess: bool = False
    problem: str = ""
    called: str = ""
    socket_tag: str = ""


class _PartModel(Struct, frozen=True, eq=False):
    """The parts of a model: names, tags, sockets, matrices of the nodes at time 0, (n, 4, 4)."""

    names: Sequence[str] = ()
    tags: Sequence[str] = ()
    sockets: frozenset[int] = frozenset()
    local: Doubles = field(default_factory=lambda: np.zeros((0, 4, 4)))
    world: Doubles = field(default_factory=lambda: np.zeros((0, 4, 4)))


def assemble(
    store: FileStore,
    game: Game,
    unit: Unit,
    requested: ReadingChoice = ReadingChoice.AUTO,
    parents: Sequence[int] | None = None,
) -> tuple[MountedPart, ...]:
    """The components of a unit with their models in place; each model is read once.

    Parameters
    ----------
    parents
        The parent of each component, which stands before it, -1 for roots; None takes them from the unit.
    """
    assembly = _Assembly(store, game, requested)
    parts: list[MountedPart] = []
    for component, parent in enumerate(unit.parents if parents is None else parents):
        checkpoint()
        parts.append(assembly.mounted(unit, component, parts[parent] if parent >= 0 else None))
    return tuple(parts)


def matrices_at(parts: Sequence[MountedPart], poses: Mapping[int, Pose]) -> tuple[Doubles | None, ...]:
    """``unit_from_part`` of each part, (4, 4), while its nodes and those of the others are in some poses.

    Parameters
    ----------
    poses
        By component; a part without one, and all that hangs on it, has no place.
    """
    # Components are stored depth first: each comes after its parent.
    placed: list[Doubles | None] = []
    for part in parts:
        own, above = poses.get(part.component), poses.get(part.parent)
        base = placed[part.parent] if part.parent >= 0 else np.eye(4)
        if own is None or part.matrix is None or base is None:
            placed.append(None)
        elif part.parent < 0 or above is None or part.socket is None:
            placed.append(base if part.parent < 0 else None)
        else:
            socket: Doubles = above.world[part.socket].astype(np.float64)
            placed.append(base @ socket @ _undone(own.local[0].astype(np.float64)))
    return tuple(placed)


def choices(game: Game, key: str, label: str = "") -> tuple[str, ...]:
    """The keys of the registry that may replace one: those that the label of its socket names, then its type.

    Parameters
    ----------
    label
        The tag of the socket; empty if that is not known.
    """
    registry = game.registry
    index = None if registry is None else registry.find(key.encode("cp1251", "replace"))
    if registry is None:
        return ()
    entries = registry.archive.entries[:MOST_OBJECTS]
    type_id = EXTERNAL if index is None else registry.archive.entries[index].type_id
    alike = [it.text for it in entries if it.type_id == type_id]
    return tuple(sorted(alike, key=lambda it: (not fits(label, it), it)))


class _Assembly:
    """The mounting of one component after the other, with the models that were read."""

    def __init__(self, store: FileStore, game: Game, requested: ReadingChoice) -> None:
        self._store, self._game, self._requested = store, game, requested
        self._names = PartNames.of(store, game.path)
        # By folded key and by address: a unit has many parts of one kind, each of which is looked up and read
        # once. Both go with the assembly.
        self._found: dict[bytes, MountedPart] = {}
        self._models: dict[Address, _PartModel | str] = {}

    def mounted(self, unit: Unit, component: int, parent: MountedPart | None) -> MountedPart:
        """A component on the part that it hangs on."""
        row = unit.components[component]
        key = until_nul(bytes(row["key"])).strip()
        if fold(key) not in self._found:
            self._found[fold(key)] = self._looked_up(key)
        above = -1 if parent is None else parent.component
        part = replace(self._found[fold(key)], component=component, parent=above, key=decode(key))
        if parent is None:
            place = None if part.model is None else np.eye(4)
            # A root that is an object of its own, such as a building, has another type than EXTO and is
            # drawn; a part that lies inside is not.
            is_drawn = place is not None and self._type_of(key) != INTERNAL
            return replace(part, matrix=place, is_drawn=is_drawn)
        part = self._on_socket(part, parent, int(row["attachment"]), int(row["class_id"]) in ON_NODE)
        return replace(part, is_drawn=part.is_drawn and part.matrix is not None)

    def _looked_up(self, key: bytes) -> MountedPart:
        """Target of an entry of the registry; it is drawn if it is external."""
        outcome, reference = self._game.model(key)
        address = None if reference is None else next(existing(self._game, reference), None)
        problem = ""
        if address is None:
            problem = _("its object leads to no model: {outcome}", outcome=outcome.value)
        elif isinstance(known := self._known(address), str):
            address, problem = None, known
        is_drawn = self._type_of(key) == EXTERNAL
        called = str(self._names.of_key(key) or "")
        return MountedPart(-1, -1, "", outcome, address, is_drawn=is_drawn, problem=problem, called=called)

    def _type_of(self, key: bytes) -> int | None:
        """The type of an object of the registry; None without one."""
        registry = self._game.registry
        index = None if registry is None else registry.find(key)
        return None if registry is None or index is None else registry.archive.entries[index].type_id

    def _known(self, address: Address) -> _PartModel | str:
        """The names, sockets and matrices of a model, or why it cannot be read."""
        if address not in self._models:
            try:
                model = self._store.open(address).read_model()
                skeleton, draws = Skeleton(model), draw_builder.build(model)
                choice = reading.choose(model, skeleton, draws, requested=self._requested)
                has_records = choice.reading.has_name_records
                names = model.node_names(from_records=has_records)
                tags = model.node_socket_tags(from_records=has_records)
                pose = Animation(model, skeleton, choice.reading.quaternion_order).pose(0.0)
                local, world = pose.local.astype(np.float64), pose.world.astype(np.float64)
                self._models[address] = _PartModel(names, tags, sockets(model, names), local, world)
            except MshviewError as error:
                self._models[address] = translated(error.text)
        return self._models[address]

    def _on_socket(self, part: MountedPart, parent: MountedPart, number: int, is_node: bool) -> MountedPart:
        """A part on a node of its parent; without a place if the parent has no such node, or no model."""
        above = None if parent.model is None else self._known(parent.model)
        if not isinstance(above, _PartModel):
            return replace(part, problem=part.problem or _("what it hangs on has no model"))
        # A slot of the parent's controller has a number too: only a node that is a socket is taken for it, as
        # a guess.
        if not 0 <= number < len(above.world) or not (is_node or number in above.sockets):
            return replace(part, problem=part.problem or _("it hangs on no node of its parent's model"))
        name = above.names[number] if number < len(above.names) else ""
        tag = above.tags[number] if number < len(above.tags) else ""
        part = replace(part, socket=number, socket_name=name, socket_tag=tag, is_guess=not is_node)
        own = None if part.model is None else self._known(part.model)
        if not isinstance(own, _PartModel) or not len(own.local):
            return part
        mount = above.world[number] @ _undone(own.local[0])
        matrix = None if parent.matrix is None else parent.matrix @ mount
        return replace(part, mount=mount, matrix=matrix)


@np.errstate(over="ignore", invalid="ignore")
def _undone(local: Doubles) -> Doubles:
    """The inverse of a turn and a shift, (4, 4)."""
    made = np.eye(4)
    # The transpose is the inverse of a rotation: keys have no scale.
    made[:3, :3] = local[:3, :3].T
    made[:3, 3] = -made[:3, :3] @ local[:3, 3]
    return made
