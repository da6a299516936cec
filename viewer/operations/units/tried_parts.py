"""Parts tried on a unit: other objects in place of its components, and new ones on free sockets.

Nothing of it is a change of the file: it is shown, and written as a new unit only if the user says so.

Source: spec/objects.md 3, spec/field-notes.md 5, 11.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from viewer.errors import UsageError
from viewer.formats import units
from viewer.formats.record import Rows
from viewer.formats.text import fold
from viewer.formats.units import COMPONENT, Unit
from viewer.model.compare.file_plan import FilePlan
from viewer.model.game.part_names import NO_NAMES, PartNames
from viewer.model.game.registry import REGISTRY
from viewer.model.game.sockets import GUN
from viewer.translation import _

TURRET_CLASS, ARMOUR_CLASS, GUN_CLASS = 1, 2, 4
_TURRET: Final = "e_tur_"


class AddedPart(Struct, frozen=True):
    """A part on a free socket.

    Attributes
    ----------
    parent
        The component on whose model the socket is.
    socket
        The node of that model.
    key
        Its object in the registry.
    """

    parent: int
    socket: int
    key: str


class TriedParts(Struct, frozen=True):
    """The parts tried on a unit.

    Attributes
    ----------
    replaced
        The keys of the objects in place of components.
    added
        The parts on free sockets.
    outline
        The `outline_of` the unit, by whose numbers of components they go; empty: that of any unit.
    """

    replaced: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))
    added: tuple[AddedPart, ...] = ()
    outline: bytes = b""

    def __bool__(self) -> bool:
        return bool(self.replaced or self.added)

    def fit(self, unit: Unit) -> bool:
        """Whether the components of a unit are those that the parts were tried on."""
        return not self or self.outline in {b"", outline_of(unit)}

    def with_key(self, component: int, key: str | None) -> TriedParts:
        """With an object in place of a component; None takes the one of the file back."""
        others = {row: it for row, it in self.replaced.items() if row != component}
        return replace(self, replaced=others if key is None else {**others, component: key})

    def with_added(self, parent: int, socket: int, key: str | None) -> TriedParts:
        """With an object on a free socket; None takes it off."""
        others = tuple(it for it in self.added if (it.parent, it.socket) != (parent, socket))
        new = () if key is None else (AddedPart(parent, socket, key),)
        return replace(self, added=(*others, *new))


NO_PARTS: Final = TriedParts()


def outline_of(unit: Unit) -> bytes:
    """The keys of the components and their tree, on which the meaning of their numbers depends."""
    return bytes(unit.components["key"].tobytes() + unit.components["child_count"].tobytes())


def shown(unit: Unit, tried: TriedParts, names: PartNames = NO_NAMES) -> tuple[Unit, tuple[int, ...]]:
    """The unit with tried parts as it is shown, and the parent of each of its components.

    Components keep their numbers: new ones follow after all others, where a file would have them in the
    order of the tree.
    """
    rows = _with_keys(unit.components, tried, names)
    added = [_new_row(it, names) for it in tried.added]
    if added:
        rows = np.concatenate([rows, *added])
    return replace(unit, components=rows), (*unit.parents, *(it.parent for it in tried.added))


def fitted(unit: Unit, tried: TriedParts, names: PartNames = NO_NAMES) -> Unit:
    """The unit as its file would have it: new components follow the last one that hangs on their parent.

    All other bytes are those of the unit. A replaced component gets the name that the game gives its object
    and keeps its own if that is not known. Raises `UsageError` for a component that does not exist, a key
    that is too long, and a tree that is cut.
    """
    rows = _with_keys(unit.components, tried, names)
    parents = unit.parents
    # A cut file has counts of children that are not there: a new component would become one of those.
    expected = np.bincount([it for it in parents if it >= 0], minlength=len(parents))
    if tried.added and rows["child_count"].tolist() != expected.tolist():
        raise UsageError(_("its numbers of children do not fit its components: nothing can be added"))
    for it in tried.added:
        if not 0 <= it.parent < len(rows):
            raise UsageError(_("component {number} does not exist", number=it.parent))
        rows["child_count"][it.parent] += 1
    # From the end, so that the places before stay as they are. At one place what is inserted later comes
    # first: of several on one parent the last one begins, and a part of the outer of two parents that end
    # together goes before one of the inner.
    ends = [(-_end_of(parents, it.parent), it.parent, -number) for number, it in enumerate(tried.added)]
    for end, _parent, number in sorted(ends):
        at, it = -end, tried.added[-number]
        rows = np.concatenate([rows[:at], _new_row(it, names), rows[at:]])
    return replace(unit, components=rows)


def plan_unit(unit: Unit, tried: TriedParts, path: Path, names: PartNames = NO_NAMES) -> FilePlan:
    """The plan of a new file with the unit and its tried parts; raises `UsageError` like `fitted`."""
    return FilePlan(path, data=units.encode(fitted(unit, tried, names)))


def _end_of(parents: Sequence[int], component: int) -> int:
    """The place after all that hangs on a component, directly or not."""
    below = {component}
    for row in range(component + 1, len(parents)):
        if parents[row] not in below:
            return row
        below.add(row)
    return len(parents)


def _with_keys(components: Rows, tried: TriedParts, names: PartNames) -> Rows:
    """A copy of the components with other objects in place of some."""
    rows = components.copy()
    for component, key in tried.replaced.items():
        if not 0 <= component < len(rows):
            raise UsageError(_("component {number} does not exist", number=component))
        rows["key"][component] = _stored("key", key)
        name = _name(key, names)
        if name:
            rows["name"][component] = name
    return rows


def _new_row(it: AddedPart, names: PartNames) -> Rows:
    """The component of a part on a free socket, whose class follows from its key."""
    row = COMPONENT.new(1)
    row["archive"], row["key"] = REGISTRY, _stored("key", it.key)
    # 1 in all known files (spec/objects.md 3).
    row["flags"], row["attachment"] = 1, it.socket
    row["name"] = _name(it.key, names) or _stored("name", it.key)
    row["class_id"] = _class_of(it.key)
    return row


def _class_of(key: str) -> int:
    """The class of a component on a node, by its key: a turret, a gun, else armour, which is a guess."""
    if is_class_guessed(key):
        return ARMOUR_CLASS
    return GUN_CLASS if key.casefold().startswith(GUN) else TURRET_CLASS


def is_class_guessed(key: str) -> bool:
    """Whether a key does not say the class of its component: it is neither that of a turret nor of a gun."""
    return not key.casefold().startswith((_TURRET, GUN))


def _name(key: str, names: PartNames) -> bytes:
    """The game's name of an object, as a component stores it; empty if that is not known."""
    called = names.of_key(key.encode("cp1251", "replace"))
    size = COMPONENT.field("name").size
    return b"" if called is None else called.name.encode("cp1251", "replace")[:size]


def _stored(field_name: str, text: str) -> bytes:
    """A text as a field of a component stores it; raises `UsageError` if it does not fit."""
    size = COMPONENT.field(field_name).size
    data = text.encode("cp1251", "replace")
    if len(data) >= size or fold(data) == b"":
        words = _("{key!r}: 1 to {most} letters fit", key=text, most=size - 1)
        raise UsageError(words, source=field_name)
    return data
