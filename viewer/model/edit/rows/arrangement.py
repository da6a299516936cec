"""A new order of the rows of a table: rows that stay, rows that are left out, rows that are new.

Rows of ground plans (rings with points, triangles, corners) and of units (a tree of components) are nested.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeGuard

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.errors import EditError
from viewer.formats.archive import nres_edit
from viewer.formats.neighbors.ground_plan import CORNER, HEADER, INNER, MAX_RINGS, POINT, TRIANGLE, Ring
from viewer.formats.part import Part
from viewer.formats.splice import Splices, applied, between, moved, ordered
from viewer.formats.units import COMPONENT, Unit, parents_of
from viewer.geometry.transforms import Indices
from viewer.model.edit.change import Change, change, refusal, refuse_missing
from viewer.model.edit.draft import REMOVED, Draft, refused, renumbered, targets_of
from viewer.translation import _


class NewRow(Struct, frozen=True):
    """A row that is added.

    Parameters
    ----------
    like
        The row that it is a copy of, by its old index; None for one with the usual values.
    record
        Name of its record, for tables whose rows have several.
    """

    like: int | None = None
    record: str = ""


class Arrangement(Struct, frozen=True):
    """The rows of a table after a change.

    Parameters
    ----------
    count
        Number of rows before.
    items
        The rows in their new order: old indices and new rows.
    moved
        Old indices of the rows that were moved, not just shifted by others.
    """

    count: int
    items: tuple[int | NewRow, ...]
    moved: frozenset[int] = frozenset()

    @property
    def growth(self) -> int:
        """Number of added rows less that of removed ones."""
        return len(self.items) - self.count

    @property
    def sources(self) -> Indices:
        """For each new row the old one with its content, -1 for none, (n,)."""
        like = (item if isinstance(item, int) else item.like for item in self.items)
        return np.array([REMOVED if it is None else it for it in like], np.int64)

    @property
    def order(self) -> tuple[int | None, ...]:
        """The rows by the indices that they had, None for a new one."""
        return tuple(item if isinstance(item, int) else None for item in self.items)

    @property
    def new_indices(self) -> Indices:
        """The new index of each old row, `REMOVED` for those left out, (count,)."""
        return targets_of(self.count, self.order)

    def renumbered(self, draft: Draft, table: str, field: str, word: str) -> Splices:
        """The splices of a field of a table that refers to the rows, which are called by a word.

        Raises `EditError` if it refers to a row that is left out; what refers to no row stays.
        """
        part = draft.part(table)
        rows: Any = part.rows
        old = rows[field].astype(np.int64)
        new = renumbered(old, self.new_indices)
        # REMOVED is -1, which also stands for "refers to no row": only what did refer to one is lost.
        lost = np.flatnonzero((new == REMOVED) & (old != REMOVED))
        if len(lost):
            row = int(lost[0])
            words = "refers to {what} {index}, which would be removed"
            raise refusal(words, table, row, field, what=word, index=int(old[row]))
        after = rows.copy()
        after[field] = new
        return replaced(draft, part.start, part.size, after.tobytes())


Blank = Callable[[Draft, Part, NewRow], bytes]
"""Makes a row with the usual values; raises `EditError`."""


def zeros(_ignored: Draft, part: Part, __: NewRow) -> bytes:
    """A row of zeros."""
    return bytes(part.record.size if part.record else 0)


def row_bytes(draft: Draft, part: Part, row: int) -> bytes:
    """The bytes of a row of a table."""
    start, size = part.span(row)
    return bytes(draft.data[start : start + size])


def arranged(draft: Draft, part: Part, arrangement: Arrangement, blank: Blank) -> Splices:
    """The splices of the rows alone."""
    rows = bytearray()
    blanks: dict[NewRow, bytes] = {}
    for item in arrangement.items:
        source = item.like if isinstance(item, NewRow) else item
        if source is not None:
            rows += row_bytes(draft, part, source)
        elif isinstance(item, NewRow):
            if item not in blanks:
                blanks[item] = blank(draft, part, item)
            rows += blanks[item]
    return replaced(draft, part.start, part.size, bytes(rows))


def replaced(draft: Draft, start: int, size: int, after: bytes) -> Splices:
    """The splices that put bytes in place of a range."""
    before = draft.data[start : start + size]
    return ordered(moved(between(before, after), start))


def counted(draft: Draft, table: str, field: str, growth: int, most: int | None = None) -> Splices:
    """The splice of a stored number of rows; raises `EditError` if the field cannot hold it.

    Parameters
    ----------
    table, field
        The record with the number.
    growth
        How many more there are.
    most
        The limit, if that is less than what fits the field.
    """
    part = draft.part(table)
    record = part.record
    if record is None or not isinstance(part.rows, np.void):
        raise EditError(_("has no number of rows"), table=table)
    declared = record.field(field)
    number = int(part.rows[field]) + growth
    # A <u2 holds 65,535 at most.
    limit = most or int(np.iinfo(declared.dtype).max)
    if not 0 <= number <= limit:
        words = "{count} rows, at most {limit} are possible"
        raise refusal(words, table, None, field, count=number, limit=limit)
    start = part.start + declared.offset
    return replaced(draft, start, declared.size, np.array(number, declared.dtype).tobytes())


def sibling(path: str, name: str) -> str:
    """The path of a part next to another: that of ``blocks[2].header`` for ``blocks[2].keys``."""
    holder, _ignored, _ignored = path.rpartition(".")
    return f"{holder}.{name}" if holder else name


def joined(*parts: Splices) -> Splices:
    """Splices of different ranges together."""
    return ordered([it for part in parts for it in part])


def in_container(draft: Draft, type_id: int, splices: Splices, growth: tuple[int, int] = (0, 0)) -> Splices:
    """The splices of a model, from those of a table in it and how much more its attributes count.

    Raises `EditError` if the table shares its bytes, or if the container cannot move its payloads.
    """
    archive = draft.model.archive
    index = archive.find_type(type_id)
    entry = None if index is None else archive.entry(index)
    if entry is None or any(not entry.offset <= it.offset <= it.end <= entry.end for it in splices):
        raise EditError(_("shares its bytes with another table"))
    if not splices:
        return ()
    inside = moved(splices, -entry.offset)
    edit = nres_edit.Edit(archive)
    with refused():
        edit.replace(entry.index, applied(archive.payload(entry.index), inside), inside)
        if any(growth):
            attr1, attr2 = (
                # At least 0: the attributes of a damaged table may count fewer rows than it has.
                max(0, it + more)
                for it, more in zip((entry.attr1, entry.attr2), growth, strict=True)
            )
            edit.describe(entry.index, attr1, attr2, entry.attr3)
        return edit.splices()


# The least that enclose something.
NEW_EDGES: Final = 3


def arrange_rings(draft: Draft, path: str, arrangement: Arrangement) -> Splices:
    """The splices of the inner or of the outer rings, and of their number."""
    items = arrangement.items
    if len(items) > MAX_RINGS:
        raise refusal("{count} rows, at most {limit} are possible", count=len(items), limit=MAX_RINGS)
    part = draft.part(path)
    rows = [_ring(draft, part, item) for item in items]
    return joined(
        counted(draft, f"{path}_count", "count", arrangement.growth),
        replaced(draft, part.start, part.size, b"".join(rows)),
    )


def _ring(draft: Draft, part: Part, item: int | NewRow) -> bytes:
    if isinstance(item, int):
        return row_bytes(draft, part, item)
    if item.like is not None:
        return row_bytes(draft, part, item.like)
    header = HEADER.new()
    header["count"] = NEW_EDGES
    ties = bytes(NEW_EDGES * (TRIANGLE.size + CORNER.size)) if part.name == INNER else b""
    return header.tobytes() + POINT.new(NEW_EDGES + 1).tobytes() + ties


def arrange_ring_points(draft: Draft, path: str, arrangement: Arrangement) -> Splices:
    """The splices of the points of a ring; the last one, which repeats the first, follows it."""
    part, holder = draft.part(path), path.rpartition(".")[0]
    found = re.match(r"(\w+)\[(\d+)\]", path)
    rings: tuple[Ring, ...] = getattr(draft.value, found[1] if found else INNER)
    ring = rings[int(found[2]) if found else 0]
    edges = _edges(arrangement)
    points = _points(ring.points, edges)
    ties = Arrangement(edges.count, tuple(_tied(edges)))
    tied = (TRIANGLE, CORNER) if len(ring.triangle_rows) else ()
    return joined(
        counted(draft, f"{holder}.{HEADER.name}", "count", arrangement.growth),
        replaced(draft, part.start, part.size, points.tobytes()),
        *(arranged(draft, draft.part(f"{holder}.{it.name}"), ties, zeros) for it in tied),
    )


def _edges(arrangement: Arrangement) -> Arrangement:
    """The arrangement of all points but the last; raises `EditError` if that is removed or moved."""
    last = arrangement.count - 1
    if last not in arrangement.items or last in arrangement.moved:
        raise EditError(_("the last point repeats the first and follows it"), index=last)
    items = tuple(item for item in arrangement.items if item != last)
    if not items:
        raise EditError(_("a ring has at least one edge"))
    return Arrangement(last, items)


def _points(old: npt.NDArray[np.float32], edges: Arrangement) -> npt.NDArray[np.float32]:
    """The points in their new order, (n + 1, 3); new ones are between their neighbors."""
    sources = edges.sources
    points = old[sources]
    # Compared as bytes, so that a ring with -0.0 at one end and 0.0 at the other keeps both.
    is_closed = old[0].tobytes() == old[-1].tobytes()
    closed = np.concatenate([points, points[:1] if is_closed else old[-1:]])
    known = np.append(sources >= 0, True)
    # Points before the first known one have nothing to lie between.
    for axis in range(3) if known[0] else ():
        between = np.interp(np.flatnonzero(~known), np.flatnonzero(known), closed[known, axis])
        closed[~known, axis] = between
    if is_closed:
        closed[-1] = closed[0]
    return closed


def _tied(edges: Arrangement) -> Iterator[int | NewRow]:
    """The edges whose triangle and corner each edge has: a new one those of the edge that it divides."""
    before = next((item for item in edges.items if isinstance(item, int)), 0)
    for item in edges.items:
        if isinstance(item, int):
            before = item
            yield item
        else:
            # The last point of a ring is its first one again, so its edge is edge 0.
            yield NewRow(before if item.like is None else item.like % edges.count)


ROOT: Final = -1


def with_children(draft: Draft, _ignored: Part, row: int) -> Iterable[int]:
    """A component and all components below it, which follow it."""
    parents = draft.value.parents
    below = {row}
    # Components are stored depth first, so those below one follow it without a gap.
    for index in range(row + 1, len(parents)):
        if parents[index] not in below:
            break
        below.add(index)
    return sorted(below)


def arrange_components(draft: Draft, path: str, arrangement: Arrangement) -> Splices:
    """The splices of components; what is put before a component gets the same parent.

    At the end it becomes a child of the last component without a parent.
    Raises `EditError` if the tree is damaged.
    """
    unit: Unit = draft.value
    old, new_indices = unit.parents, arrangement.new_indices.tolist()
    roots = [it for it in arrangement.items if _is_kept(it, arrangement) and old[it] == ROOT]
    parents: list[int] = []  # of each component in the new order, as an index in it
    following = new_indices[roots[-1]] if roots else ROOT
    # Backwards: what is put before a kept component takes its parent, which is known only after it.
    for item in reversed(arrangement.items):
        if isinstance(item, int) and (item not in arrangement.moved or old[item] in arrangement.moved):
            parents.append(ROOT if old[item] == ROOT else new_indices[old[item]])
        else:
            parents.append(following)
        if _is_kept(item, arrangement):
            following = parents[-1]
    return _with_parents(draft, path, unit, arrangement, parents[::-1])


@change("attach-component", "attach component {component} to {parent}", parent="detach component {component}")
class AttachComponent(Change, frozen=True):
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

    def apply(self, draft: Draft) -> None:
        """Move the component; raises `EditError` for a missing one, or a parent that is below it."""
        unit = draft.value
        if not isinstance(unit, Unit):
            raise EditError(_("is not a unit"))
        part = draft.part(COMPONENT.name)
        named = [row for row in (self.component, self.parent) if row is not None]
        refuse_missing(named, part.count, COMPONENT.name)
        moved = [*with_children(draft, part, self.component)]
        if self.parent in moved:
            words = "cannot be a child of itself or of a component below it"
            raise refusal(words, COMPONENT.name, self.component)
        kept = [row for row in range(part.count) if row not in moved]
        at = len(kept)
        if self.parent is not None:
            below = [row for row in with_children(draft, part, self.parent) if row not in moved]
            # Behind all below the parent: components are stored depth first.
            at = kept.index(below[-1]) + 1
        order = (*kept[:at], *moved, *kept[at:])
        parents = dict(enumerate(unit.parents)) | {
            self.component: ROOT if self.parent is None else self.parent
        }
        new_parents = [ROOT if parents[row] == ROOT else order.index(parents[row]) for row in order]
        arrangement = Arrangement(part.count, order, frozenset(moved))
        draft.splice_readable(_with_parents(draft, COMPONENT.name, unit, arrangement, new_parents))


def _with_parents(
    draft: Draft, path: str, unit: Unit, arrangement: Arrangement, parents: list[int]
) -> Splices:
    """The splices of components in a new order with these parents; raises `EditError` if that is no tree."""
    part = draft.part(path)
    rows = COMPONENT.new(len(parents))
    before = np.bincount([it for it in unit.parents if it != ROOT], minlength=arrangement.count)
    after = np.bincount([it for it in parents if it != ROOT], minlength=len(parents))
    for index, item in enumerate(arrangement.items):
        source = item if isinstance(item, int) else item.like
        if source is not None:
            rows[index] = unit.components[source]
        # The numbers of children of a damaged tree that stay right are kept.
        if not isinstance(item, int) or before[item] != after[index]:
            rows["child_count"][index] = after[index]
    if parents_of(rows["child_count"].tolist()) != tuple(parents):
        raise EditError(_("the numbers of children do not describe a tree"), table=path)
    return replaced(draft, part.start, part.size, rows.tobytes())


def _is_kept(item: int | NewRow, arrangement: Arrangement) -> TypeGuard[int]:
    """Whether a component was neither added nor moved."""
    return isinstance(item, int) and item not in arrangement.moved
