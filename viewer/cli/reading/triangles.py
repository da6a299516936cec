"""``triangles``: the engine's query of triangles by masks, in the order of its callbacks, and their links."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator, Sequence
from typing import Annotated, Final

import numpy as np
from msgspec import Meta, Struct, field

from viewer.cli import text_table
from viewer.cli.documents import write_answers
from viewer.cli.picturing import drawing
from viewer.cli.reading import draws
from viewer.cli.usage.arguments import add_addresses, add_cell, add_forms, whole_number
from viewer.cli.usage.reading_arguments import add_reading
from viewer.errors import UsageError
from viewer.geometry.transforms import Indices
from viewer.json_types import U32, Natural, Rows, TableRow, Vector, described
from viewer.model.kinds.columns import Column, Columns, NullableArray
from viewer.model.mesh.draws import NO_BATCH, NO_DESCRIPTOR, NO_SLOT
from viewer.model.mesh.model import Variant
from viewer.model.mesh.shown import CellRule
from viewer.model.mesh.triangle_query import (
    NO_FLAGS,
    NO_LINK,
    FoundTriangles,
    Masks,
    TriangleLinks,
    query,
    reached,
)
from viewer.session.opened.document import Document
from viewer.translation import _

LARGEST_MASK: Final = 0xFFFFFFFF
NO_STEPS: Final = -1
NO_VERTEX: Final = -1
WIDE: Final = ("vertices", "positions")
"""Columns that a terminal has no room for."""
THREE: Final = Meta(min_length=3, max_length=3)


class TriangleRow(TableRow, frozen=True):
    """A triangle that passes the masks."""

    order: Annotated[Natural, described("of the callbacks, or of the walk")]
    node: Natural | None
    slot: Natural | None
    batch: Natural | None
    triangle: Annotated[Natural | None, described("its row among the triangles of the model")]
    descriptor: Annotated[Natural | None, described("of Res7; of a terrain its face")]
    flags: Natural | None
    indices: Annotated[Sequence[Natural | None], THREE]
    vertices: Annotated[Sequence[Natural | None], THREE]
    positions: Annotated[Annotated[Sequence[Vector], THREE] | None, described("in the space of its node")]
    links: Annotated[Sequence[Natural | None], described("the descriptors over its edges")]
    steps: Annotated[Natural | None, described("from the first triangle of a walk")]


class TrianglesAnswer(Struct, frozen=True):
    """Triangles that the engine's query calls back."""

    source: str
    require: U32
    forbid: U32
    start: Natural | None = field(name="from")
    tested: Natural
    count: Natural
    triangles: Rows[TriangleRow]
    open_edges: Annotated[Sequence[tuple[Natural, Natural]], described("descriptor and edge")]
    non_manifold_edges: Sequence[tuple[Natural, Natural]]
    one_way_links: Annotated[Sequence[tuple[int, int, int]], described("descriptor, edge and link")]
    apart_links: Sequence[tuple[int, int, int]]


ANSWER: Final = TrianglesAnswer


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_addresses(parser)
    add_cell(parser)
    drawing.declare_parts(parser, _("default {value}", value=CellRule.EXACT))
    parser.set_defaults(distance=None)
    add = parser.add_argument
    add(
        "--require",
        type=mask,
        default=0,
        metavar="M",
        help="bits that the flags of a descriptor must all have, as 2 or 0x2; default 0",
    )
    add("--forbid", type=mask, default=0, metavar="M", help="bits of which they have none; default 0")
    add(
        "--from",
        dest="start",
        type=whole_number,
        metavar="T",
        help="only the triangle with descriptor T, in a terrain face T, and those that its links lead to",
    )
    add("--walk", action="store_true", help="with --from: go on from there, to all that links reach")
    add_forms(parser, "the triangles")
    add_reading(parser)


def mask(text: str) -> int:
    """The value of an option that is a mask, decimal or hexadecimal."""
    try:
        value = int(text, 0)
    except ValueError:
        value = -1
    if not 0 <= value <= LARGEST_MASK:
        raise ArgumentTypeError(_("{text!r} is not a mask such as 2 or 0x12", text=text))
    return value


def run(options: Namespace) -> int:
    """Print the triangles that pass, and what is wrong with their links."""
    if options.walk and options.start is None:
        raise UsageError("--walk needs --from", source="triangles")
    return write_answers(
        "triangles", options, lambda it: _answer(options, it), lambda it: _lines(options, it), "triangles"
    )


class _Answer(Struct, frozen=True, eq=False):
    """Triangles of a model that the options request.

    Attributes
    ----------
    steps
        Steps from the first triangle to each found one, (n,) int64; -1 without a start.
    """

    found: FoundTriangles
    links: TriangleLinks
    steps: Indices


def _result(options: Namespace, document: Document) -> _Answer:
    model, drawn = document.model, document.draws
    masks = Masks(options.require, options.forbid)
    shown = document.chooser.shown(draws.choice_of("triangles", options, document))
    found = query(model, drawn, shown.visible(has_portals=True), masks)
    links = TriangleLinks.of(model, drawn)
    if options.start is None:
        return _Answer(found, links, np.full(len(found.row), NO_STEPS))
    if not 0 <= options.start < len(links):
        table = "faces" if model.variant is Variant.TERRAIN else "tri_descriptors"
        message = _(
            "--from {start}: {table} has {count} rows", start=options.start, table=table, count=len(links)
        )
        raise UsageError(message, source=document.address)
    allowed = np.zeros(len(links), np.bool_)
    allowed[found.record[found.record != NO_DESCRIPTOR]] = True
    walked = links.walk(options.start, allowed, None if options.walk else 1)
    steps = np.array([it[1] for it in walked], np.int64)
    return _Answer(reached(model, drawn, walked, found.tested), links, steps)


def _answer(options: Namespace, document: Document) -> TrianglesAnswer:
    made = _result(options, document)
    links = made.links
    return TrianglesAnswer(
        source=str(document.address),
        require=options.require,
        forbid=options.forbid,
        start=options.start,
        tested=made.found.tested,
        count=len(made.found.row),
        triangles=triangle_rows(document, made.found, links, made.steps),
        open_edges=[(it.record, it.edge) for it in links.listed(links.is_open)],
        non_manifold_edges=[(it.record, it.edge) for it in links.listed(links.is_crowded)],
        one_way_links=links.listed(links.is_one_way),
        apart_links=links.listed(links.is_apart),
    )


def triangle_rows(document: Document, found: FoundTriangles, links: TriangleLinks, steps: Indices) -> Columns:
    """Rows by triangle in the order of the callbacks, or of the walk."""
    drawn, none = document.draws, np.array([-1])

    def of_draw(values: Indices, unknown: int) -> NullableArray:
        return NullableArray.of(np.append(values, unknown)[found.draw], unknown)

    triangle = np.append(drawn.triangle.astype(np.int64), none)[found.row]
    vertices = np.append(drawn.corners.astype(np.int64), np.full((1, 3), NO_VERTEX), axis=0)[found.row]
    base = np.append(document.model.batches["base_vertex"].astype(np.int64), 0)
    batch = np.append(drawn.batch, NO_BATCH)[found.draw]
    is_indexed = (vertices != NO_VERTEX) & (batch != NO_BATCH)[:, None]
    target = np.append(links.target, np.full((1, 3), NO_LINK), axis=0)[found.record]
    return Columns.of(
        TriangleRow,
        len(found.row),
        order=np.arange(len(found.row)),
        node=of_draw(drawn.node, -1),
        slot=of_draw(drawn.slot, NO_SLOT),
        batch=of_draw(drawn.batch, NO_BATCH),
        triangle=NullableArray.of(triangle, -1),
        descriptor=NullableArray.of(found.record, NO_DESCRIPTOR),
        flags=NullableArray.of(found.flags, NO_FLAGS),
        indices=NullableArray.of(np.where(is_indexed, vertices - base[batch][:, None], -1), -1),
        vertices=NullableArray.of(vertices, NO_VERTEX),
        positions=_positions(document, vertices),
        links=NullableArray.of(target, NO_LINK),
        steps=NullableArray.of(steps, NO_STEPS),
    )


def _positions(document: Document, vertices: Indices) -> Column:
    """The positions of the three vertices of each triangle, in the space of its node."""
    is_drawn = (vertices != NO_VERTEX).all(axis=1)
    found = document.model.positions[vertices[is_drawn]]
    if is_drawn.all():
        whole: Column = found
        return whole
    drawn = iter(found.tolist())
    return [next(drawn) if it else None for it in is_drawn.tolist()]


def _lines(options: Namespace, document: Document) -> Iterator[str]:
    made = _result(options, document)
    links = made.links
    yield _("{count} of {tested} triangles", count=len(made.found.row), tested=made.found.tested)
    for name, chosen in (
        (_("open edges"), links.is_open),
        (_("edges of more than two triangles"), links.is_crowded),
        (_("links that do not lead back"), links.is_one_way),
        (_("links to a triangle without that edge"), links.is_apart),
        (_("links to a row that does not exist"), links.is_outside),
    ):
        yield f"{name}: {int(chosen.sum())}"
    rows = triangle_rows(document, made.found, links, made.steps)
    shown = {name: it for name, it in rows.columns.items() if name not in WIDE}
    yield from text_table.lines(Columns(len(rows), shown))
