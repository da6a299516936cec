"""Components of units: a tree, written depth first, each with its number of children."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

import numpy as np

from viewer.errors import EditError
from viewer.formats.part import Part
from viewer.formats.splice import Splices
from viewer.formats.units import COMPONENT, Unit, parents_of
from viewer.model.edit.draft import Draft
from viewer.model.edit.rows.arrangement import Arrangement, NewRow, replaced
from viewer.translation import Sentence

ROOT: Final = -1


def with_children(draft: Draft, _: Part, row: int) -> Iterable[int]:
    """A component and all components below it, which follow it."""
    parents = draft.value.parents
    below = {row}
    for index in range(row + 1, len(parents)):
        if parents[index] not in below:
            break
        below.add(index)
    return sorted(below)


def arrange(draft: Draft, path: str, arrangement: Arrangement) -> Splices:
    """The splices of components; what is put before a component gets the same parent.

    At the end it becomes a child of the last component without a parent.
    Raises `EditError` if the tree is damaged.
    """
    unit: Unit = draft.value
    return _laid(draft, path, unit, arrangement, _parents(unit.parents, arrangement))


@dataclass(frozen=True, slots=True)
class AttachComponent:
    """Make a component of a unit, with all below it, the last child of another one.

    Parameters
    ----------
    component
        The component.
    parent
        The new parent; None: the component gets no parent and is the last one.
    """

    component: int
    parent: int | None

    @property
    def words(self) -> str:
        """The component and its new parent."""
        if self.parent is None:
            return Sentence("detach component {component}", component=self.component)
        component, parent = self.component, self.parent
        return Sentence("attach component {component} to {parent}", component=component, parent=parent)

    def apply(self, draft: Draft) -> None:
        """Move it; raises `EditError` if one does not exist or the parent is below the component."""
        unit = draft.value
        if not isinstance(unit, Unit):
            raise EditError(Sentence("is not a unit"))
        part = draft.part(COMPONENT.name)
        for row in (self.component, self.parent):
            if row is not None and not 0 <= row < part.count:
                message = Sentence("there are {count} rows", count=part.count)
                raise EditError(message, table=COMPONENT.name, index=row)
        moved = [*with_children(draft, part, self.component)]
        if self.parent in moved:
            message = Sentence("cannot be a child of itself or of a component below it")
            raise EditError(message, table=COMPONENT.name, index=self.component)
        kept = [row for row in range(part.count) if row not in moved]
        at = len(kept)
        if self.parent is not None:
            below = [row for row in with_children(draft, part, self.parent) if row not in moved]
            at = kept.index(below[-1]) + 1
        order = (*kept[:at], *moved, *kept[at:])
        parents = dict(enumerate(unit.parents)) | {
            self.component: ROOT if self.parent is None else self.parent
        }
        new_parents = [ROOT if parents[row] == ROOT else order.index(parents[row]) for row in order]
        arrangement = Arrangement(part.count, order, frozenset(moved))
        draft.splice_readable(_laid(draft, COMPONENT.name, unit, arrangement, new_parents))


def _laid(draft: Draft, path: str, unit: Unit, arrangement: Arrangement, parents: list[int]) -> Splices:
    """The splices of components in a new order with these parents; raises `EditError` if that is no tree."""
    part = draft.part(path)
    rows = COMPONENT.new(len(parents))
    for index, item in enumerate(arrangement.items):
        source = item if isinstance(item, int) else item.like
        if source is not None:
            rows[index] = unit.components[source]
    _count_children(rows, parents, unit, arrangement)
    if parents_of(rows["child_count"].tolist()) != tuple(parents):
        raise EditError(Sentence("the numbers of children do not describe a tree"), table=path)
    return replaced(draft, part.start, part.size, rows.tobytes())


def _parents(old: tuple[int, ...], arrangement: Arrangement) -> list[int]:
    """The parent of each component in the new order, as an index in it."""
    new_indices = arrangement.new_indices.tolist()
    roots = [it for it in arrangement.items if _is_kept(it, arrangement) and old[it] == ROOT]
    parents: list[int] = []
    following = new_indices[roots[-1]] if roots else ROOT
    for item in reversed(arrangement.items):
        if isinstance(item, int) and (item not in arrangement.moved or old[item] in arrangement.moved):
            parents.append(ROOT if old[item] == ROOT else new_indices[old[item]])
        else:
            parents.append(following)
        if _is_kept(item, arrangement):
            following = parents[-1]
    return parents[::-1]


def _is_kept(item: int | NewRow, arrangement: Arrangement) -> TypeGuard[int]:
    """Whether a component was neither added nor moved."""
    return isinstance(item, int) and item not in arrangement.moved


def _count_children(rows: Any, parents: list[int], unit: Unit, arrangement: Arrangement) -> None:
    """Adapt the numbers of children to the tree; those of a damaged tree that stay right are kept."""
    before = np.bincount([it for it in unit.parents if it != ROOT], minlength=arrangement.count)
    after = np.bincount([it for it in parents if it != ROOT], minlength=len(parents))
    for index, item in enumerate(arrangement.items):
        if not isinstance(item, int) or before[item] != after[index]:
            rows["child_count"][index] = after[index]
