"""Rings of ground plans, and their points; the edges of the first ring have a triangle and a corner each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.errors import EditError
from viewer.formats.neighbors.ground_plan import (
    CORNER,
    HEADER,
    MAX_RINGS,
    POINT,
    TRIANGLE,
    GroundPlan,
    Ring,
)
from viewer.formats.part import Part
from viewer.formats.splice import Splices
from viewer.model.edit.draft import Draft
from viewer.model.edit.rows.arrangement import (
    Arrangement,
    NewRow,
    arranged,
    counted,
    joined,
    replaced,
    row_bytes,
    zeros,
)
from viewer.translation import Sentence

NEW_EDGES: Final = 3


def arrange_rings(draft: Draft, path: str, arrangement: Arrangement) -> Splices:
    """The splices of rings; raises `EditError` if another ring would become the first."""
    items = arrangement.items
    if not items or items[0] != 0:
        raise EditError(
            Sentence("the first ring has the triangles of its edges and stays the first"), index=0
        )
    if len(items) > MAX_RINGS:
        message = Sentence("{count} rows, at most {limit} are possible", count=len(items), limit=MAX_RINGS)
        raise EditError(message)
    plan: GroundPlan = draft.value
    part = draft.part(path)
    rows = [_ring(draft, part, plan, item) for item in items]
    return replaced(draft, part.start, part.size, b"".join(rows))


def _ring(draft: Draft, part: Part, plan: GroundPlan, item: int | NewRow) -> bytes:
    if isinstance(item, int):
        return row_bytes(draft, part, item)
    if item.like is not None:
        ring = plan.rings[item.like]
        return ring.header.tobytes() + ring.point_rows.tobytes()
    header = HEADER.new()
    header[0] = (1, NEW_EDGES)
    return header.tobytes() + POINT.new(NEW_EDGES + 1).tobytes()


def arrange_points(draft: Draft, path: str, arrangement: Arrangement) -> Splices:
    """The splices of the points of a ring; the last one, which repeats the first, follows it."""
    part, holder = draft.part(path), path.rpartition(".")[0]
    ring = _ring_of(draft, path)
    edges = _edges(arrangement)
    points = _points(ring.points, edges)
    tables: list[Splices] = []
    if len(ring.triangle_rows):
        ties = Arrangement(edges.count, tuple(_tied(edges)))
        tables = [
            arranged(draft, draft.part(f"{holder}.{it.name}"), ties, zeros) for it in (TRIANGLE, CORNER)
        ]
    else:
        tables = []
    header = f"{holder}.{HEADER.name}"
    return joined(
        counted(draft, header, "count", arrangement.growth),
        replaced(draft, part.start, part.size, points.tobytes()),
        *tables,
    )


def _ring_of(draft: Draft, path: str) -> Ring:
    found = re.search(r"\[(\d+)\]", path)
    plan: GroundPlan = draft.value
    return plan.rings[int(found[1]) if found else 0]


def _edges(arrangement: Arrangement) -> Arrangement:
    """The arrangement of all points but the last; raises `EditError` if that is removed or moved."""
    last = arrangement.count - 1
    if last not in arrangement.items or last in arrangement.moved:
        raise EditError(Sentence("the last point repeats the first and follows it"), index=last)
    items = tuple(item for item in arrangement.items if item != last)
    if not items:
        raise EditError(Sentence("a ring has at least one edge"))
    return Arrangement(last, items)


def _points(old: npt.NDArray[np.float32], edges: Arrangement) -> npt.NDArray[np.float32]:
    """The points in their new order, (n + 1, 3); new ones are between their neighbors."""
    sources = edges.sources
    points = old[sources]
    is_closed = old[0].tobytes() == old[-1].tobytes()
    closed = np.concatenate([points, points[:1] if is_closed else old[-1:]])
    known = np.append(sources >= 0, True)
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
            yield NewRow(before if item.like is None else item.like % edges.count)
